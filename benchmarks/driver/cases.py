"""The cases: what each one reads, writes and computes, and what its results may differ by."""

import math

from driver.case import Case
from driver.loop_cases import loops

N = 10_000_000
SIDE = 4096
MATRIX = SIDE * SIDE


def elementwise():
    heading = "Expressions"
    for dtype, width, tolerance in (("float64", 8, 1e-12), ("float32", 4, 1e-6)):
        for n in (N, 100_000, 1_000):
            # Some peers add one by one: 10⁷ numbers of float32 are then off by 1.5 %.
            of_sum = 1e-10 if dtype == "float64" else 2e-2 if n == N else 1e-4
            sums = dict(size=str(n), dtype=dtype, read=2 * width * n, tolerance=of_sum,
                        threads=n >= 100_000, heading=heading)
            yield Case("sum_sq_diff", **sums)
            if n <= 100_000:
                yield Case("sum_sq_diff_computation", peers_from="sum_sq_diff",
                           **sums | {"threads": False})
        for n in (N, 100_000, 1_000):
            chain = dict(size=str(n), dtype=dtype, read=width * n, written=width * n,
                         tolerance=tolerance, heading=heading)
            yield Case("chain", threads=n >= 100_000, **chain)
            if n == N:
                yield Case("chain_new", threads=True, **chain)
                yield Case("chain_new_cold", peers_from="chain_new", **chain)
    for degree in (1, 2, 4, 5, 6, 8, 10, 15, 20, 30, 40):
        yield Case("polynomial", f"degree_{degree}_of_1024", read=8 * 1024, written=8 * 1024, flops=2 * degree * 1024,
                   heading=heading)
    for side in (16, 64):
        step = dict(size=f"{side}x{side}x{side}", dtype="float32", read=4 * side**3, written=4 * (side - 2)**3,
                    heading=heading, tolerance=1e-5)
        yield Case("heat_step", **step)
        yield Case("heat_step_dims", peers_from="heat_step", **step)
    for name in ("add_row", "add_column"):
        yield Case(name, "4096x4096", read=8 * MATRIX, written=8 * MATRIX, threads=True,
                   heading=heading)
        yield Case(name + "_sum", "4096x4096", read=8 * MATRIX, threads=True, heading=heading)


def functions():
    heading = "Functions of elements"
    for dtype, width, tolerance in (("float64", 8, 1e-12), ("float32", 4, 2e-6)):
        for name in ("exp", "log", "sin", "tanh", "pow"):
            for n in (N, 1_000):
                yield Case(name, str(n), dtype, width * n, width * n, tolerance=tolerance,
                           threads=n == N, heading=heading)
    for size, count in (("1024x1024", 1024**2), ("8x4096x64", 8 * 4096 * 64)):
        yield Case("softmax", size, "float32", 4 * count, 4 * count, tolerance=2e-6, threads=True,
                   heading=heading)


def movement():
    heading = "Copies"
    moved = dict(heading=heading, tolerance=0, threads=True)
    for dtype, width in (("float64", 8), ("float32", 4)):
        yield Case("transpose", "4096x4096", dtype, width * MATRIX, width * MATRIX, **moved)
    for name in ("permute_210", "permute_120"):
        yield Case(name, "256x256x256", "float64", 8 * 256**3, 8 * 256**3, **moved)
    yield Case("crop_channels", "2048x2048x4", "uint8", 1536 * 1536 * 4, 1536 * 1536 * 3, **moved)
    yield Case("rotate", "4096x4096", "float64", 8 * MATRIX, 8 * MATRIX, **moved)
    for name in ("gather_random", "gather_sorted"):
        yield Case(name, str(N), "float64", 16 * N, 8 * N, **moved)
        for kind in ("_new_list", "_take"):
            yield Case(name + kind, str(N), "float64", 16 * N, 8 * N, peers_from=name, **moved)
    yield Case("cast_float64_uint8", str(N), "uint8", 8 * N, N, **moved)
    yield Case("cast_float64_uint8_checked", str(N), "uint8", 8 * N, N,
               peers_from="cast_float64_uint8", **moved)
    yield Case("cast_int32_float64", str(N), "float64", 4 * N, 8 * N, **moved)


def reductions():
    for name in ("sum", "mean", "min", "argmax", "variance", "sum_axis0", "sum_axis1"):
        yield Case(name, "4096x4096", read=8 * MATRIX, threads=True, heading="Reductions",
                   tolerance=1e-10)
    yield Case("variance_channels", "2048x2048x3", "uint8", read=2048 * 2048 * 3, threads=True,
               heading="Reductions", tolerance=1e-10)


def index_space():
    heading = "Index space"
    filtered = dict(read=8 * N, written=4 * N, tolerance=0, threads=True, heading=heading)
    yield Case("argfilter", str(N), **filtered)
    yield Case("argfilter_set", str(N), **filtered | {"written": N // 8})
    yield Case("argsort", "1000000", read=8_000_000, written=8_000_000, tolerance=0, threads=True,
               heading=heading)
    for dtype in ("float64", "float32", "int64"):
        width = 4 if dtype == "float32" else 8
        yield Case("sort", str(N), dtype, read=width * N, written=width * N, tolerance=0, threads=True, heading=heading)
    yield Case("searchsorted", "1000000", read=16_000_000, written=8_000_000, tolerance=0, threads=True,
               heading=heading)
    for name in ("set_union", "set_intersection", "set_difference"):
        yield Case(name, str(N), "int64", read=N // 4, written=N // 8, tolerance=0, heading=heading)


def lanes():
    heading = "Scans and windows"
    line = dict(read=8 * N, written=8 * N, heading=heading)
    yield Case("cumsum", str(N), **line | {"tolerance": 1e-10})
    yield Case("cummax", str(N), **line | {"tolerance": 0})
    # Sums that are kept up by adding and taking away drift.
    for name in ("rolling_sum", "rolling_mean"):
        yield Case(name, str(N), threads=True, **line | {"tolerance": 1e-9})
    for name in ("rolling_min", "rolling_max"):
        yield Case(name, str(N), threads=True, **line | {"tolerance": 0})
    yield Case("gaussian", str(N), threads=True, **line)


def sparse():
    heading = "Sparse"
    stored = 16_000_000  # an index and a number for each stored element
    for name in ("sparse_add", "sparse_product"):
        yield Case(name, "1000000_of_100000000", read=2 * stored, heading=heading, tolerance=0,
                   written=2 * stored if name == "sparse_add" else stored // 100)
    for name, written in (("transpose", 10), ("slice", 2.5), ("rotate", 10), ("broadcast", 20)):
        yield Case(f"sparse_{name}", "10000000_of_100000x100000", read=10 * stored, heading=heading,
                   tolerance=0, written=int(written * stored))
    for side, count in ((20_000, 400_000), (1_000_000, 10_000_000)):
        for name in ("normalise_rows", "normalise_columns"):
            yield Case(name, f"{count}_of_{side}x{side}", read=16 * count + 8 * side, written=16 * count, heading=heading,
                       tolerance=1e-12)
    board = dict(size="3840x2160", dtype="bool", heading=heading, tolerance=0)
    yield Case("life_generation", read=9 * 200, written=9 * 200, **board)
    yield Case("life_generation_dense", read=3840 * 2160, written=3840 * 2160,
               peers_from="life_generation", **board)


def statistics():
    heading = "Statistics"
    shared = dict(read=8 * N, threads=True, heading=heading)
    yield Case("ten_figures", str(N), tolerance=1e-9, **shared)
    yield Case("median", str(N), tolerance=1e-14, **shared)
    yield Case("percentiles", str(N), tolerance=1e-12, **shared)
    yield Case("histogram", str(N), tolerance=0, **shared)
    yield Case("pearson", str(N), tolerance=1e-9, **shared | {"read": 16 * N})
    for name in ("group_sum_1000", "group_sum_1000000"):
        yield Case(name, str(N), tolerance=1e-10, **shared | {"read": 16 * N})


def tables():
    rows, shared = 1_000_000, dict(heading="Columns of tables")
    for name in ("group_sum_text", "group_sum_times"):
        yield Case(name, str(rows), read=16 * rows, tolerance=1e-10, **shared)
    yield Case("group_two_keys", "300000", read=32 * 300_000, tolerance=1e-10, **shared)
    yield Case("unique_text", str(rows), read=32 * rows, written=8 * rows, tolerance=0, **shared)
    yield Case("take_of_product", str(rows), read=24 * rows, written=8 * rows, tolerance=0, **shared)
    yield Case("mask_of_product", str(rows), read=16 * rows, tolerance=1e-10, **shared)
    yield Case("mask", str(rows), read=16 * rows, written=4 * rows, tolerance=0, **shared)
    yield Case("iterate", str(rows), read=8 * rows, tolerance=1e-10, **shared)
    yield Case("iterate_memory", str(rows), read=8 * rows, tolerance=1e-10, **shared)
    yield Case("elements", str(rows), read=8 * rows, written=8 * rows, tolerance=1e-12, **shared)
    yield Case("equal_text", str(rows), "bool", read=32 * rows, written=rows, tolerance=0, **shared)
    yield Case("rolling_mean_of_gaps", str(rows), read=8 * rows, written=8 * rows, tolerance=1e-9,
               **shared)
    for width in (5, 20, 100):
        yield Case("rolling_median", f"300000x{width}", read=8 * 300_000, written=8 * 300_000, tolerance=0,
                   **shared)
    yield Case("rolling_quantile", "300000x20", read=8 * 300_000, written=8 * 300_000, tolerance=1e-14, **shared)
    yield Case("forward_fill", str(rows), read=8 * rows, written=8 * rows, tolerance=0, **shared)
    yield Case("kmeans_step", f"{rows}x3x8", read=24 * rows, flops=64 * rows, tolerance=1e-9,
               **shared)
    for name in ("indexes_sorted", "indexes_random"):
        yield Case(name, str(N), read=24 * N, written=8 * N, tolerance=0, **shared)
    yield Case("read_csv", str(rows), read=64 * rows, written=68 * rows, tolerance=1e-12, threads=True,
               **shared)


def products():
    shared = dict(heading="Matrix products", threads=True, tolerance=1e-12)
    square = dict(read=16 * 1024**2, written=8 * 1024**2, flops=2 * 1024**3, **shared)
    yield Case("matmul", "1024", **square)
    yield Case("matmul_as_sum", "1024", peers_from="matmul", **square)
    batch = 8 * 256 * 64**2
    yield Case("matmul_batched", "256x64", read=2 * batch, written=batch, flops=2 * 256 * 64**3,
               **shared)
    yield Case("attention_scores", "4x128x8x64", read=2 * 8 * 4 * 128 * 8 * 64,
               written=8 * 4 * 8 * 128**2, flops=2 * 4 * 8 * 128**2 * 64, **shared)


def linear_algebra():
    """Batches of small matrices; 32 x 32 are LAPACK's."""
    count = {3: 100_000, 8: 100_000, 32: 10_000}
    # What is added, multiplied and rotated, roughly: 6 sweeps, each of n (n - 1) / 2 rotations of 3 n pairs.
    flops = {"solve": lambda n: 2 * n**3 // 3, "inv": lambda n: 2 * n**3, "det": lambda n: 2 * n**3 // 3,
             "cholesky": lambda n: n**3 // 3, "eigh": lambda n: 54 * n**3}
    written = {"solve": lambda n: n, "inv": lambda n: n * n, "det": lambda n: 1, "cholesky": lambda n: n * n,
               "eigh": lambda n: n * n + n}
    for n in count:
        for dtype, width, tolerance in (("float64", 8, 1e-9), ("float32", 4, 1e-1)):  # random ones may be ill-conditioned
            for name in flops:
                read = n * n + (n if name == "solve" else 0)
                yield Case(f"batch_{name}", f"{count[n]}x{n}x{n}", dtype, width * read * count[n],
                           width * written[name](n) * count[n], flops[name](n) * count[n], tolerance,
                           threads=True, heading="Linear algebra")


    n = 1000
    for name, cost, out in (("solve", 2 / 3, n), ("cholesky", 1 / 3, n * n), ("qr", 8 / 3, 2 * n * n), ("svd", 20, 2 * n * n + n),
                            ("eigh", 9, n * n + n)):
        yield Case(f"matrix_{name}", f"{n}x{n}", "float64", 8 * n * n, 8 * out, int(cost * n**3), 1e-8, threads=True,
                   heading="Linear algebra")


def fourier():
    """5 n log2 n operations for n complex points."""
    def cases(name, size, points, lanes, is_real=False):
        for part, dtype, tolerance in ((8, "float64", 1e-12), (4, "float32", 1e-4)):
            of = dtype if is_real else {"float64": "complex128", "float32": "complex64"}[dtype]
            flops = 5 * points * math.log2(points) * lanes / (2 if is_real else 1)
            read = part * (1 if is_real else 2) * points * lanes
            yield Case(name, size, of, read, 2 * part * points * lanes // (2 if is_real else 1), int(flops), tolerance, threads=True,
                       heading="Fourier transforms")

    for n in (1024, 1 << 16, 1 << 20, 1_000_000):
        yield from cases("fft", str(n), n, 1)
        yield from cases("rfft", str(n), n, 1, True)
    yield from cases("fft_rows", "1000x1000", 1000, 1000)
    yield from cases("fft_columns", "1000x1000", 1000, 1000)
    yield from cases("rfft_rows", "10000x100", 100, 10_000, True)
    yield from cases("fftn", "200x200x200", 200**3, 1)


def sparse_matrices():
    heading = "Sparse matrices"
    side, stored = 10**6, 10**7
    entries = 12 * stored + 4 * side
    shared = dict(heading=heading, threads=True)
    yield Case("csr_times_vector", "1000000x10", read=entries + 8 * side, written=8 * side,
               flops=2 * stored, **shared)
    yield Case("csr_times_matrix", "1000000x10x8", read=entries + 64 * side, written=64 * side,
               flops=16 * stored, **shared)
    yield Case("csr_add", "1000000x10", read=2 * entries, written=2 * entries, **shared)
    yield Case("csr_product", "100000x10", read=24 * 10**6, written=12 * 10**7,
               flops=2 * 10**7, **shared)
    yield Case("sparse_matmul", "100000x10", read=32 * 10**6, written=16 * 10**7,
               flops=2 * 10**7, peers_from="csr_product", **shared)
    yield Case("sparse_matmul_vector", "1000000x10", read=16 * stored + 8 * side, written=8 * side,
               flops=2 * stored, peers_from="csr_times_vector", **shared)
    yield Case("coo_to_csr", str(stored), read=16 * stored, written=entries, **shared)
    yield Case("csr_to_csc", str(stored), read=entries, written=entries, **shared)
    yield Case("read_mtx", str(stored), read=33 * stored, written=16 * stored, **shared)


def dims():
    heading = "First-class dimensions"
    shared = dict(heading=heading, threads=True)
    product = dict(read=16 * 64**2, written=8 * 64**2, flops=2 * 64**3)
    for n in (4, 8, 16):
        yield Case("matmul", str(n), read=16 * n**2, written=8 * n**2, flops=2 * n**3, heading=heading)
    yield Case("matmul", "64", heading=heading, **product)
    yield Case("matmul", "256", read=16 * 256**2, written=8 * 256**2, flops=2 * 256**3, heading=heading)
    yield Case("named_matmul", "64", peers_from="matmul", heading=heading, **product)
    yield Case("named_matmul", "1024", read=16 * 1024**2, written=8 * 1024**2, flops=2 * 1024**3,
               peers_from="matmul", **shared)
    batch = 8 * 256 * 64**2
    yield Case("named_batched", "256x64", read=2 * batch, written=batch, flops=2 * 256 * 64**3,
               peers_from="matmul_batched", **shared)
    yield Case("named_attention_scores", "4x128x8x64", read=2 * 8 * 4 * 128 * 8 * 64,
               written=8 * 4 * 8 * 128**2, flops=2 * 4 * 8 * 128**2 * 64,
               peers_from="attention_scores", **shared)
    states, scores = 8 * 128 * 768, 8 * 12 * 128**2
    yield Case("multi_head_attention", "8x12x128x768", "float32", 4 * (3 * states + 255 * 64),
               4 * states, flops=4 * 2 * scores * 64, tolerance=1e-4, **shared)
    image = 8 * 64 * 128**2
    yield Case("pixel_shuffle", "8x64x128x128", "float32", 4 * image, 4 * image, tolerance=0, **shared)
    yield Case("embedding_bag", "100000x64", "float32", 4096 * 32 * (8 + 4 * 64), 4 * 4096 * 64,
               tolerance=1e-5, **shared)
    yield Case("triu", "4096x4096", read=4 * MATRIX, written=8 * MATRIX, tolerance=0, **shared)
    yield Case("diff", "4096x4096", read=8 * MATRIX, written=8 * MATRIX, tolerance=0, **shared)
    yield Case("sequence_mask", "4096x4096", read=4 * MATRIX, written=8 * MATRIX, tolerance=0,
               **shared)
    yield from dims_indexes(shared)


def dims_indexes(shared):
    million = 10**6
    yield Case("upsample", "1024x1024", read=8 * 1024**2, written=32 * 1024**2, tolerance=0, **shared)
    yield Case("upsample", "512x512x3", "float32", 12 * 512**2, 48 * 512**2, tolerance=0, **shared)
    resized = 700 * 900
    yield Case("nearest_neighbour", "700x900x3", "float32", 12 * 512**2, 12 * resized, tolerance=0,
               **shared)
    yield Case("bilinear", "700x900", "float32", 4 * 1024**2, 4 * resized, tolerance=1e-5, **shared)
    for name, results in (("max_pool_2x2", 512**2), ("max_pool_3x3", 511**2),
                          ("max_of_3x3", 1022**2), ("mean_of_3x3", 1022**2)):
        yield Case(name, "1024x1024", read=8 * 1024**2, written=8 * results, **shared)
    yield Case("mean_of_8", str(million), read=8 * million, written=8 * million, **shared)
    for places in (1_000, million):
        yield Case("scatter_add", f"1000000_in_{places}", read=16 * million, written=8 * million,
                   **shared)


def small():
    heading = "What does not depend on the size (a second thread is alive)"
    for name in ("handle_copy", "view_transpose", "view_row", "view_range", "view_rotate",
                 "view_broadcast", "node_add", "node_add_number"):
        for size in ("2x3", "2000x3000"):
            yield Case(name, size, heading=heading)
    for name in ("transpose", "slice", "rotate", "broadcast"):
        yield Case(f"sparse_view_{name}", "10000000_of_100000x100000", heading=heading)
    yield Case("dims_product", "3x4x5", heading=heading)
    yield Case("dims_shifted", "2000x3000", heading=heading)
    yield Case("dims_diagonal", "2000x2000", heading=heading)
    yield Case("add_small", "3", heading=heading)
    yield Case("open_npy", "1000x1000", heading=heading)


def complex_numbers():
    heading = "Complex numbers"
    for dtype, width, tolerance in (("complex64", 8, 2e-6), ("complex128", 16, 1e-12)):
        shared = dict(dtype=dtype, heading=heading, tolerance=tolerance)
        for n in (N, 100_000, 1_000):
            yield Case("complex_multiply_add", str(n), read=3 * width * n, written=width * n, **shared)
            yield Case("complex_divide", str(n), read=2 * width * n, written=width * n, **shared)
            yield Case("complex_abs", str(n), read=width * n, written=width // 2 * n, **shared)
            yield Case("complex_exp", str(n), read=width * n, written=width * n, **shared)
            of_sum = 1e-10 if dtype == "complex128" else 2e-2 if n == N else 1e-4
            yield Case("complex_sum", str(n), read=width * n, **shared | {"tolerance": of_sum})
        for n in (64, 256, 1024):
            # Four products of real numbers, at the speed of float64; float32 is twice as fast.
            yield Case("complex_matmul", str(n), read=2 * width * n**2, written=width * n**2,
                       flops=width // 2 * n**3, **shared | {"tolerance": 100 * tolerance})


def sixteen_bits():
    shared = dict(heading="Floats of 16 bits", tolerance=0)
    for n in (N, 100_000):
        yield Case("half_add", str(n), "float16", read=4 * n, written=4 * n, **shared)
        yield Case("half_update", str(n), "float16", read=4 * n, written=2 * n, **shared)
        yield Case("half_sum", str(n), "float16", read=2 * n, **shared | {"tolerance": 2e-2})
        for small in ("float16", "bfloat16"):
            yield Case(f"cast_{small}_float32", str(n), "float32", read=2 * n, written=4 * n, **shared)
            yield Case(f"cast_float32_{small}", str(n), small, read=4 * n, written=2 * n, **shared)


def doors():
    """One crossing each, held to a microsecond; what is a call of the system is held to nothing."""
    shared = dict(heading="Doors to other libraries (a second thread is alive)", limit_ns=1000)
    for name in ("wrap", "mdspan_in", "mdspan_out", "dlpack", "dlpack_unversioned", "describe", "wrap_descriptor",
                 "view_as", "eigen_in", "eigen_out", "xtensor_in", "boost_in", "opencv_in", "opencv_out"):
        yield Case("door_" + name, "4x6", **shared)
    for name in ("from_arrow", "to_arrow"):
        yield Case(f"door_{name}_column", "1000", **shared)
        yield Case(f"door_{name}_batch", "1000x4", **shared)
    yield Case("door_shared_buffer", "4x6", **shared | {"limit_ns": 0})


def gradients():
    """Values and gradients, beside the same written by hand in a computation; `forward_` is the value alone."""
    heading = "Gradients"
    both = ("forward", "gradient")
    for n in (N, 1_000):
        for kind in both:
            yield Case(f"{kind}_chain", str(n), read=8 * n, written=8 * n * (kind == "gradient"), tolerance=1e-10,
                       heading=heading)
    for n in (100_000, 1_000):
        for passes, kind in enumerate(both, start=1):
            yield Case(f"{kind}_logistic", f"{n}x50", read=8 * 50 * n, flops=2 * 50 * n * passes, tolerance=1e-10,
                       heading=heading)
    hidden = 2 * 256 * 784 * 128
    for passes, kind in enumerate(both, start=1):
        yield Case(f"{kind}_layers", "256x784x128x10", "float32", read=4 * (256 * 784 + 784 * 128),
                   written=4 * 784 * 128 * (kind == "gradient"), flops=hidden * passes // 2, tolerance=1e-4,
                   heading=heading)
    for kind in both:
        yield Case(f"{kind}_heat", "200_of_1000", read=8 * 1000, flops=200 * 5 * 1000, tolerance=1e-9, heading=heading)
    rows = 4 * 16 * 1_000_000
    for kind in both:
        yield Case(f"{kind}_embedding", "1000000_of_100000x16", "float32", read=2 * rows,
                   written=4 * 16 * 100_000 * (kind == "gradient"), tolerance=1e-4, heading=heading)
    yield Case("gradient_sum", str(N), written=8 * N, tolerance=0, heading=heading)
    yield Case("forward_fit", "10000x5", read=80_000, written=80_000, tolerance=1e-10, heading=heading)
    yield Case("jacobian_fit", "10000x5", read=80_000, written=6 * 80_000, tolerance=1e-10, heading=heading)
    for nodes in (1_000, 10_000):
        yield Case("gradient_made", f"{nodes}_nodes", heading=heading)
    for name in ("computation_saved", "computation_loaded"):
        yield Case(name, "1000_nodes", heading=heading)


CASES = [*elementwise(), *functions(), *movement(), *reductions(), *index_space(), *lanes(), *statistics(), *tables(),
         *products(), *linear_algebra(), *fourier(), *sparse(), *sparse_matrices(), *dims(), *small(), *doors(), *complex_numbers(), *sixteen_bits(),
         *gradients(), *loops()]
