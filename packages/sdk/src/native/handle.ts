/** What stands for a descriptor. */

/** A descriptor owned by JavaScript: closed by `closeHandle`, at the latest by the garbage collector. */
export interface NativeHandle {
  readonly nativeHandle: unique symbol;
}
