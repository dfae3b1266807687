/** The public API of `xdptest`: re-exports only. */
export { errorCodes, XdpError, type XdpErrorCode, type XdpErrorDetails } from './errors.ts';
