"""Whether Purview's results are those of NumPy."""

import numpy

NEAR = 1e-9  # sums are as exact as their order
SLAB = 64


def differences(row, paths, results, small):
    """What is wrong with the results of a row in a folder, as texts."""
    if not row.writes:
        return of_memory(row, results)
    import zarr
    ours = zarr.open_array(results / "purview", mode="r")
    sources = zarr.open_array(paths[0], mode="r")
    if row.case == "standardise":
        return of_stores(ours, zarr.open_array(results / "zarr", mode="r"))
    return of_copies(ours, sources, row.case == "transpose", small)


def of_memory(row, results):
    """Every contender's array, beside the first that NumPy has computed."""
    trusted = next((name for name in ("zarr", "h5py") if (results / (name + ".npy")).exists()), None)
    if trusted is None:
        return ["nothing to compare with"]
    reference = numpy.load(results / (trusted + ".npy"))
    wrong = []
    for path in sorted(results.glob("*.npy")):
        found = numpy.load(path)
        # A single number may be an array of one in a peer.
        if found.size != reference.size or not numpy.allclose(found.reshape(reference.shape), reference, rtol=NEAR,
                                                               atol=0):
            wrong.append(f"{row.name}: {path.stem} has {found.ravel()[:3]}, {trusted} {reference.ravel()[:3]}")
    return wrong


def of_stores(ours, theirs):
    for begin in range(0, ours.shape[0], SLAB):
        slab = slice(begin, begin + SLAB)
        if not numpy.allclose(ours[slab], theirs[slab], rtol=NEAR, atol=NEAR):
            return [f"standardise: rows {begin} and following differ from NumPy's"]
    return []


def of_copies(ours, source, transposed, small):
    """All of it, or three slabs that a few chunks of the source have, as reading all takes minutes."""
    if ours.shape != (source.shape[::-1] if transposed else source.shape):
        return [f"a copy of {source.shape} has the shape {ours.shape}"]
    step = 64 if small else 4
    for begin in range(0, source.shape[0], step) if small else (0, source.shape[0] // 2 + 1, source.shape[0] - step):
        slab = slice(begin, begin + step)
        part = (slice(None) if small else slice(0, 128), slice(None))
        expected = source[(slab, *part)]
        found = ours[(*part[::-1], slab)].T if transposed else ours[(slab, *part)]
        if not numpy.array_equal(found, expected):
            return [f"a copy differs in rows {begin} and following"]
    return []
