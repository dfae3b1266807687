/** Statistics of distributions: the door of this room, published as `xdptest/stats`. Pure: works on any system. */
export {};
