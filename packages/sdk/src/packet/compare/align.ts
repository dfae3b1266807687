/** Which layers of two packets belong together. */

/** A pair of layer indexes; one of them is undefined for a layer that the other packet does not have. */
export interface LayerPair {
  readonly expected: number | undefined;
  readonly actual: number | undefined;
}

/**
 * Pairs layers in order, as many as can be. `likeness` says how alike two layers are: undefined if they are of
 * different kinds, else from 0 to 1. Of several ways to pair the same number of layers the one with the most alike
 * is taken: an encapsulated packet is so found again inside its tunnel, not taken for the tunnel's outer headers.
 */
export function alignLayers(
  expectedCount: number,
  actualCount: number,
  likeness: (expected: number, actual: number) => number | undefined,
): LayerPair[] {
  // best[i][j]: the best score of what follows layer i of the one and layer j of the other. A pair counts more than
  // any likeness of all the others.
  const pairScore = expectedCount + actualCount;
  const best = Array.from({ length: expectedCount + 1 }, () => new Array<number>(actualCount + 1).fill(0));
  const score = (i: number, j: number) => {
    const alike = likeness(i, j);
    return alike === undefined ? -1 : pairScore + alike + best[i + 1]![j + 1]!;
  };
  for (let i = expectedCount - 1; i >= 0; i--)
    for (let j = actualCount - 1; j >= 0; j--)
      best[i]![j] = Math.max(best[i + 1]![j]!, best[i]![j + 1]!, score(i, j));
  const pairs: LayerPair[] = [];
  let i = 0;
  let j = 0;
  while (i < expectedCount || j < actualCount) {
    if (i < expectedCount && j < actualCount && score(i, j) === best[i]![j])
      pairs.push({ expected: i++, actual: j++ });
    else if (j === actualCount || (i < expectedCount && best[i + 1]![j]! >= best[i]![j + 1]!))
      pairs.push({ expected: i++, actual: undefined });
    else pairs.push({ expected: undefined, actual: j++ });
  }
  return pairs;
}
