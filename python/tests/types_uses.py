"""Read by mypy, not run: uses that are right, and wrong ones that it has to find."""

import datetime

import numpy as np

import purview as pv

# Arrays.
x: pv.Array = pv.asarray(np.ones((2, 3)))
pv.asarray([[1, 2], [3, 4]], dtype="float32")
pv.asarray((1, 2.5), dtype=np.float32, copy=True)
pv.asarray(range(4))
pv.asarray(2j, np.dtype("c16"))
y: pv.Array = pv.sqrt((x - 0.5) ** 2 + 1) * 2 + np.ones(3)
y = 1 / x + x // 2 - (x > 1) + abs(-x) + ~(x == x)
y = x[0, 1:, ..., None] + x[[0, 1]] + x[x > 1] + x[..., ::-1] + x[()]
x[0] = 1
x[x > 2] = [1, 2]
x += 1
shape: tuple[int, ...] = x.shape
y = x.sum(0) + x.mean(axis=(0, 1), keepdims=True) + x.std(correction=1) + x.T + x.reshape(3, -1) + x.transpose(1, 0)
y = pv.sum(x, axis=0, dtype="int64", nan="skip") + pv.where(x > 0, x, 0) + pv.clip(x, 0, max=1)
y = pv.concat([x, x], axis=1) + pv.zeros((2, 3), dtype=pv.int8) + pv.full(3, 1.5) + pv.linspace(0, 1, 5)
values: pv.Array = pv.unique_counts(x).counts
counts, edges = pv.histogram(x, 4)
y = counts + edges + pv.median(x, axis=0) + pv.quantile(x, [0.1, 0.9]) + pv.fixed_rolling_window(x, 3, ("quantile", 0.5))
y = pv.linalg.solve(x, [1.0, 2.0]) + pv.linalg.svd(x, full_matrices=False).S + pv.linalg.qr(x, mode="r") + pv.linalg.norm(x, "nuc", (0, 1))
text: str = x.explain()
indexes = pv.IndexSet(x[0] > 0) & pv.IndexSet(range(3)) | pv.IndexSet({1})
y = x[:, indexes] + x[indexes]
y = pv.asarray([datetime.date(2020, 1, 1)]) + datetime.timedelta(1)
number: float = float(x[0, 0])
name: str = x.dtype.name
is_wide: bool = x.dtype == np.float64

# Dims.
i, j, k = pv.dims()
d, h = pv.Dim("d"), pv.Dim("h", 4)
bound: pv.DimArray = x[d, h]
bound = x[0, d] * x[d, 0] + pv.sqrt(x[d]) - 1
product: pv.Array = (x[d, h] * x[h, d]).sum(h).order(d)
expression: pv.IndexExpression = 2 * d + h - 1
bound = x[expression, 0].sum(d)
bound = pv.where(d <= h, x[d, h], 0)
bound = pv.sum(x[d, h], axis=(d, h))
x[d, h] += bound
size: int = d.size

# Arrays in chunks.
stored: pv.StoredArray = pv.open_zarr("x.zarr")
decoded: pv.Array = pv.cf_decoded(stored)
names: list[str] = pv.open_hdf5("x.h5").arrays()
many: pv.StoredArray = pv.open_many(["*.nc"], "t2m", along=["time", 1], order="name", missing="filled")
many = pv.save_index("i.json", "*.nc", along="time")
many = pv.open_index("i.json")
names = pv.open_kerchunk("r.json").arrays()
chunks: tuple[int, ...] = stored.chunks
x = pv.chunked(stored + 1, (4, 4))
begin: tuple[int, ...] = next(pv.blocks(x, 4))[0]
reads: int = pv.chunk_statistics().chunks_read

slope: object = pv.value_and_grad(lambda a, b: pv.logsumexp(a * pv.stop_gradient(b)), argnums=(0, 1))(x, 2.0)
value, pull = pv.vjp(pv.sin, x)
tangents: tuple[object, object] = pv.jvp(pv.sin, (x,), ([1.0],))
weight = pv.variable([1.0, 2.0], "w")
weight -= pv.sum(x @ weight, keepdims=True)
pv.save_computation("c", pv.compile(lambda p: p["w"] * 2), {"w": weight}, largest_tensor=100)
extents: tuple[int | None, ...] = pv.load_computation("c").arguments[0][1]
over: pv.DimArray = pv.logsumexp(x[d, h], h)

groups: tuple[pv.Array, ...] = pv.group_by_reduce((x, [1, 2]), x, "sum", "count", ("quantile", 0.9), lambda values: values[0])
groups = pv.unordered_group_by_reduce([1, 1], ([1.0, 2.0], "mean", "group_size"), (x, "min", ("percentile", 90)))

after: object = pv.iterate(lambda u, n: (u * 2, n + 1), (x, 0), 10, every=5, call=print)
root, steps = pv.iterate_while(lambda u: u / 2, x, lambda u: pv.max(u) > 1, most=50, or_else="last")
carried, outputs = pv.scan_over(lambda s, row: (s + row, {"seen": s}), 0.0, [1.0, 2.0], keep=1)
one: object = pv.choose(pv.sum(x) > 1, pv.sin, pv.cos, x)

places: list[str] = [each.name for each in pv.devices()]
there: pv.Array = pv.to_device(x, "cpu").to_device("cuda:0")

# What is wrong.
pv.grad(x, argnums="w")  # type: ignore[arg-type]
pv.jvp(pv.sin, x, x)  # type: ignore[arg-type]
pv.iterate(pv.sin, x, 2.5)  # type: ignore[arg-type]
pv.iterate_while(pv.sin, x, pv.isnan, or_else="none")  # type: ignore[arg-type]
pv.group_by_reduce([1], x, "average")  # type: ignore[arg-type]
pv.group_by_reduce([1], (x, "sum"), (x, "average"))  # type: ignore[arg-type]
pv.unordered_group_by_reduce([1], x, ("sum", 0.9))  # type: ignore[arg-type]
pv.expanding_window(x, "average")  # type: ignore[arg-type]
pv.linalg.qr(x, mode="raw")  # type: ignore[call-overload]
pv.linalg.inv(x, if_singular="zero")  # type: ignore[arg-type]
pv.asarray("text")  # type: ignore[arg-type]
pv.asarray(object())  # type: ignore[arg-type]
pv.asarray({1, 2})  # type: ignore[arg-type]
pv.asarray([1], dtype=3)  # type: ignore[arg-type]
pv.asarray([1], device=1)  # type: ignore[arg-type]
pv.sum(x, axes=0)  # type: ignore[call-overload]
pv.sum(x, nan="ignore")  # type: ignore[call-overload]
pv.sqrt(x=x)  # type: ignore[call-overload]
pv.sqrt("4")  # type: ignore[call-overload]
pv.nothing(x)  # type: ignore[attr-defined]
pv.zeros("3")  # type: ignore[arg-type]
pv.meshgrid(x, indexing="yx")  # type: ignore[arg-type]
pv.searchsorted(x, x, side="middle")  # type: ignore[arg-type]
pv.load_npy("x", access="write")  # type: ignore[arg-type]
pv.save_safetensors("x", [x])  # type: ignore[arg-type]
pv.median(x, axis="0")  # type: ignore[arg-type]
x["a"]  # type: ignore[call-overload]
x[1.5]  # type: ignore[call-overload]
x + "1"  # type: ignore[operator]
x.shape = (3, 2)  # type: ignore[misc]
x.astype(3)  # type: ignore[arg-type]
wrong: int = x.sum()  # type: ignore[assignment]
plain: pv.Array = x[d, h]  # type: ignore[assignment]
pv.softmax(x[d, h], "d")  # type: ignore[call-overload]
d.name = "e"  # type: ignore[misc]
