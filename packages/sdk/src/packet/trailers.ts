/**
 * Trailers: bytes beyond the end that a layer's length gives. They stand at the end of a packet, those of the innermost
 * layer first, and say with `after` which layers end before them.
 */
import { expectInteger } from '../errors.ts';
import { packetInvalid, type Values } from './header.ts';

const isTrailer = (spec: Values) => spec.kind === 'trailer';

/** Throws if a trailer is not in its place. */
export function checkTrailers(specs: readonly Values[]): void {
  if (specs.some(isTrailer)) trailerPlaces(specs);
}

/** For each layer that is a trailer: the index of the first layer that ends before it. */
export function trailerPlaces(specs: readonly Values[]): (number | undefined)[] {
  const first = specs.findIndex(isTrailer);
  const layers = first < 0 ? specs.length : first;
  let highest = layers;
  return specs.map((spec, i) => {
    if (!isTrailer(spec)) {
      if (i > layers) throw packetInvalid(`${spec.kind} after a trailer: trailers must be the last layers`);
      return undefined;
    }
    const after =
      spec.after === undefined ? framePlace(specs) : expectInteger('trailer.after', spec.after, 0, layers);
    if (after > highest)
      throw packetInvalid(`trailer.after ${after} follows one of ${highest}: the innermost must come first`);
    highest = after;
    return after;
  });
}

/** The place of padding of the outermost frame: what Ethernet and its VLAN tags carry ends before it. */
export function framePlace(layers: readonly Values[]): number {
  const carried = layers.findIndex(({ kind }) => kind !== 'eth' && kind !== 'vlan');
  return carried < 0 ? layers.length : carried;
}

/** Puts a packet's layers behind others: its trailers keep their places in it, and stand before the others' trailers. */
export function appendLayers(specs: Values[], appended: readonly Values[]): void {
  const layers = specs.filter((spec) => !isTrailer(spec));
  const places = trailerPlaces(appended);
  const inner = appended.map((spec, i) =>
    places[i] === undefined ? spec : { ...spec, after: places[i] + layers.length },
  );
  const outer = specs.filter(isTrailer);
  specs.splice(
    0,
    specs.length,
    ...layers,
    ...inner.filter((spec) => !isTrailer(spec)),
    ...inner.filter(isTrailer),
    ...outer,
  );
}

/** Some of the layers, with their trailers' places counted from the first of them. */
export function sliceLayers(specs: readonly Values[], start: number, end: number | undefined): Values[] {
  const places = trailerPlaces(specs);
  const count = specs.filter((spec) => !isTrailer(spec)).length;
  const stop = end === undefined ? specs.length : end < 0 ? count + end : end;
  const from = start < 0 ? Math.max(0, count + start) : start;
  return specs.flatMap((spec, i) => {
    if (i < from || i >= stop) return [];
    const place = places[i];
    // A trailer of a layer that is cut off is padding of nothing in the slice.
    if (place === undefined) return [spec];
    return place <= from && from > 0 ? [] : [{ ...spec, after: place - from }];
  });
}
