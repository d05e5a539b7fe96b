"""What NumPy, numexpr, SciPy, pandas and Arrow do for each case, as a user of theirs would write it: into existing memory
where there is some (`out=`). A case is a function that prepares and returns (statement, names, result):
the statement is timed; `result` names the variable, or is an expression, that is compared."""

import os
import tempfile

import numpy as np

from data import coordinates, random, random_indexes, sorted_indexes, sparse_indexes
from element_types import element_types

SIZES = (10_000_000, 100_000, 1_000)
CITIES = ("Amsterdam", "Berlin", "Copenhagen", "Dublin", "Edinburgh", "Florence", "Gothenburg", "Helsinki")


def elementwise():
    cases = {}
    for n in SIZES:
        for dtype in ("float64", "float32"):
            def sum_of_squares(n=n, dtype=dtype):
                x, y = random(n, 1, dtype), random(n, 2, dtype)
                return "np.square(x - y).sum()", {"x": x, "y": y}, "np.square(x - y).sum()"

            def chain(n=n, dtype=dtype):
                a = random(n, 1, dtype)
                return ("np.add(a, 4, out=out); np.multiply(out, 2, out=out);"
                        "np.subtract(out, 3, out=out); np.divide(out, 2, out=out);"
                        "np.add(out, 6, out=out); np.multiply(out, 4, out=out)",
                        {"a": a, "out": np.empty_like(a)}, "out")

            def chain_new(n=n, dtype=dtype):
                statement = "(((((a + 4) * 2) - 3) / 2) + 6) * 4"
                return statement, {"a": random(n, 1, dtype)}, statement

            cases[f"sum_sq_diff/{n}/{dtype}"] = sum_of_squares
            cases[f"chain/{n}/{dtype}"] = chain
            cases[f"chain_new/{n}/{dtype}"] = chain_new

    for degree in (1, 2, 4, 5, 6, 8, 10, 15, 20, 30, 40):
        def polynomial(degree=degree):
            x = random(1024, 1)
            step = "np.add(out, 0.5, out=out); np.multiply(out, x, out=out); "
            return ("np.multiply(x, 0.75, out=out); " + step * (degree - 1) + "np.add(out, 0.25, out=out)",
                    {"x": x, "out": np.empty_like(x)}, "out")

        cases[f"polynomial/degree_{degree}_of_1024/float64"] = polynomial
    for name, shape in (("row", (4096,)), ("column", (4096, 1))):
        def inputs(shape=shape):
            matrix = random((4096, 4096), 1)
            return {"m": matrix, "v": random(shape, 2)}

        def add(inputs=inputs):
            names = inputs()
            return "np.add(m, v, out=out)", names | {"out": np.empty_like(names["m"])}, "out"

        cases[f"add_{name}/4096x4096/float64"] = add
        cases[f"add_{name}_sum/4096x4096/float64"] = lambda inputs=inputs: (
            "(m + v).sum()", inputs(), "(m + v).sum()")
    cases["add_small/3/float64"] = lambda: (
        "x + y", {"x": random(3, 1), "y": random(3, 2)}, "x + y")
    return cases


def functions():
    cases = {}
    for n in (10_000_000, 1_000):
        for dtype in ("float64", "float32"):
            for name, call in (("exp", "exp(x"), ("log", "log(x"), ("sin", "sin(x"),
                               ("tanh", "tanh(x"), ("pow", "power(x, 2.5")):
                def function(n=n, dtype=dtype, call=call):
                    x = random(n, 1, dtype, 4) + np.dtype(dtype).type(0.25)
                    return f"np.{call}, out=out)", {"x": x, "out": np.empty_like(x)}, "out"

                cases[f"{name}/{n}/{dtype}"] = function
    return cases


def movement():
    def copied(view, **names):
        names["out"] = np.empty_like(eval(view, {"np": np}, names), order="C")
        return f"np.copyto(out, {view})", names, "out"

    def taken(list_of):
        x = random(10_000_000, 1)
        return ("np.take(x, i, out=out, mode='clip')",
                {"x": x, "i": list_of(10_000_000), "out": np.empty_like(x)}, "out")

    def cropped():
        image = random((2048, 2048, 4), 1, np.uint8)
        return copied("image[256:1792, 256:1792, 2::-1]", image=image)

    def cast(source, to):
        return ("np.copyto(out, x, casting='unsafe')",
                {"x": source, "out": np.empty(source.shape, to)}, "out")

    n = 10_000_000
    return {
        "transpose/4096x4096/float64": lambda: copied("m.T", m=random((4096, 4096), 1)),
        "transpose/4096x4096/float32": lambda: copied("m.T", m=random((4096, 4096), 1, "float32")),
        "permute_210/256x256x256/float64":
            lambda: copied("m.transpose(2, 1, 0)", m=random((256, 256, 256), 1)),
        "permute_120/256x256x256/float64":
            lambda: copied("m.transpose(1, 2, 0)", m=random((256, 256, 256), 1)),
        "crop_channels/2048x2048x4/uint8": cropped,
        "rotate/4096x4096/float64": lambda: (
            "np.roll(m, (1000, 37), (0, 1))", {"m": random((4096, 4096), 1)},
            "np.roll(m, (1000, 37), (0, 1))"),
        "gather_random/10000000/float64": lambda: taken(random_indexes),
        "gather_sorted/10000000/float64": lambda: taken(sorted_indexes),
        "cast_float64_uint8/10000000/uint8": lambda: cast(random(n, 1, scale=255), np.uint8),
        "cast_int32_float64/10000000/float64": lambda: cast(random(n, 1, np.int32), np.float64),
    }


def reductions():
    def of_matrix(statement):
        return lambda: (statement, {"m": random((4096, 4096), 1)}, statement)

    statements = {"sum": "m.sum()", "mean": "m.mean()", "min": "m.min()", "argmax": "m.argmax()",
                  "variance": "m.var()", "sum_axis0": "m.sum(0)", "sum_axis1": "m.sum(1)"}
    channels = "image.var((0, 1))"
    return {f"{name}/4096x4096/float64": of_matrix(s) for name, s in statements.items()} | {
        "variance_channels/2048x2048x3/uint8": lambda: (
            channels, {"image": random((2048, 2048, 3), 1, np.uint8)}, channels)}


def index_space():
    filtered = "np.flatnonzero(x > 0.5)"
    ordered = "np.argsort(x, kind='stable')"
    return {
        "argfilter/10000000/float64": lambda: (
            filtered, {"x": random((10_000_000,), 1)}, filtered),
        "argsort/1000000/float64": lambda: (ordered, {"x": random((1_000_000,), 1)}, ordered),
    }


def lanes():
    def of_line(statement):
        x = random((10_000_000,), 1)
        return statement, {"x": x, "out": np.empty_like(x)}, "out"

    return {
        "cumsum/10000000/float64": lambda: of_line("np.cumsum(x, out=out)"),
        "cummax/10000000/float64": lambda: of_line("np.maximum.accumulate(x, out=out)"),
    }


def scipy_filters():
    from scipy import ndimage

    def filtered(call):
        def case():
            x = random((10_000_000,), 1)
            statement = f"ndimage.{call}"
            return statement, {"ndimage": ndimage, "x": x, "out": np.empty_like(x)}, "out"
        return case

    return {
        "rolling_mean/10000000/float64": filtered(
            "uniform_filter1d(x, 100, mode='nearest', output=out)"),
        "rolling_min/10000000/float64": filtered(
            "minimum_filter1d(x, 100, mode='nearest', output=out)"),
        "rolling_max/10000000/float64": filtered(
            "maximum_filter1d(x, 100, mode='nearest', output=out)"),
        "gaussian/10000000/float64": filtered("gaussian_filter1d(x, 2, output=out)"),
    }


def sparse_cases(vector, matrix, product, transpose, rotate, twice, **names):
    """Of a library that makes vectors of a seed and a matrix; what it computes has its values in `data`."""

    def merged(statement):
        return lambda: (statement, {"x": vector(1), "y": vector(2)}, f"({statement}).data")

    def viewed(statement):
        return lambda: (statement, {"x": matrix()} | names, f"({statement}).data")

    vectors, matrices = "1000000_of_100000000/float64", "10000000_of_100000x100000/float64"
    return {
        f"sparse_add/{vectors}": merged("x + y"),
        f"sparse_product/{vectors}": merged(product),
        f"sparse_transpose/{matrices}": viewed(transpose),
        f"sparse_slice/{matrices}": viewed("x[5:50000, 5:50000]"),
        f"sparse_rotate/{matrices}": viewed(rotate),
        f"sparse_broadcast/{matrices}": viewed(twice),
    }


def scipy_sparse():
    from scipy.sparse import coo_array, csr_array, vstack

    def vector(seed):
        indexes = sparse_indexes(1_000_000, 100, seed)
        return csr_array((random(1_000_000, seed + 10), indexes, np.array([0, 1_000_000])),
                         shape=(1, 100_000_000))

    def matrix():
        rows, columns = np.divmod(sparse_indexes(10_000_000, 1000, 1), 100_000)
        pointers = np.searchsorted(rows, np.arange(100_001))
        return csr_array((random(10_000_000, 11), columns, pointers), shape=(100_000, 100_000))

    def rotated(x):
        x = x.tocoo()
        rows, columns = (x.row + 5) % x.shape[0], (x.col + 7) % x.shape[1]
        return coo_array((x.data, (rows, columns)), shape=x.shape).tocsr()

    return sparse_cases(vector, matrix, product="x.multiply(y)", transpose="x.T.tocsr()",
                        rotate="rotated(x)", twice="vstack([x, x], format='csr')",
                        rotated=rotated, vstack=vstack)


def scipy_normalised():
    from scipy.sparse import csr_array, diags

    def normalised(side, stored, axis):
        def case():
            rows, columns = np.divmod(sparse_indexes(stored, side * side // stored, 1), side)
            pointers = np.searchsorted(rows, np.arange(side + 1))
            x = csr_array((random(stored, 11), columns, pointers), shape=(side, side))
            sums = x.sum(axis)
            divisor = np.where(sums == 0, 1, sums)
            statement = "diags(1 / d) @ x" if axis == 1 else "x @ diags(1 / d)"
            # Its products have the columns of a row in any order.
            return statement, {"x": x, "d": divisor, "diags": diags}, f"({statement}).sorted_indices().data"
        return case

    return {f"normalise_{name}/{stored}_of_{side}x{side}/float64": normalised(side, stored, axis)
            for side, stored in ((20_000, 400_000), (1_000_000, 10_000_000))
            for name, axis in (("rows", 1), ("columns", 0))}


def statistics():
    n = 10_000_000

    def of_random(statement, **names):
        return lambda: (statement, {"x": random((n,), 1)} | names, statement)

    def group_sum(keys):
        statement = "np.bincount(keys, weights=x)"
        return lambda: (statement, {"x": random((n,), 1), "keys": random_indexes(n, keys)}, statement)

    figures = ("(m := x.mean(), d := x - m, v := (d * d).mean(), x.min(), x.max(), x.sum(),"
               " np.sqrt(v), np.sqrt(v / x.size), (d ** 3).mean() / v ** 1.5,"
               " (d ** 4).mean() / v ** 2 - 3)[-1]")
    return {
        f"ten_figures/{n}/float64": of_random(figures),
        f"median/{n}/float64": of_random("np.median(x)"),
        f"percentiles/{n}/float64": of_random("np.percentile(x, [1, 25, 50, 75, 99])"),
        f"histogram/{n}/float64": of_random("np.histogram(x, 100, (0.0, 1.0))[0]"),
        f"pearson/{n}/float64": lambda: (
            "np.corrcoef(x, y)[0, 1]", {"x": random((n,), 1), "y": random((n,), 2)},
            "np.corrcoef(x, y)[0, 1]"),
        f"group_sum_1000/{n}/float64": group_sum(1_000),
        f"group_sum_1000000/{n}/float64": group_sum(1_000_000),
    }


def csv_file(statement, product, **names):
    """A table read from a file, of an integer, two floats, a short string and a date."""
    n = 1_000_000
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "benchmark.csv")
    ids = random_indexes(n, 1_000_000_000)
    days = (np.datetime64("2000-01-01") + ids % 9000).astype(str)
    with open(path, "w") as file:
        file.write("id,price,quantity,city,day\n")
        for row in zip(ids.tolist(), random((n,), 1).tolist(), random((n,), 2).tolist(), days.tolist()):
            file.write("%d,%r,%r,%s,%s\n" % (*row[:3], CITIES[row[0] % 8], row[3]))
    return statement, names | {"path": path, "folder": folder}, product.replace("table", statement)


def pyarrow():
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv

    pyarrow.set_cpu_count(int(os.environ.get("BENCH_THREADS", "1")))
    return {"read_csv/1000000/float64": lambda: csv_file(
        "pa.csv.read_csv(path)", "(lambda t: pa.compute.multiply(t['price'], t['quantity']).to_numpy())(table)",
        pa=pyarrow)}


def pandas():
    import pandas as pd

    n = 10_000_000

    def group_sum(groups):
        statement = "x.groupby(keys).sum()"
        # Compared at their keys, as those of `bincount`.
        return lambda: (statement, {"x": pd.Series(random((n,), 1)), "keys": random_indexes(n, groups)},
                        f"{statement}.reindex(range({groups}), fill_value=0).to_numpy()")

    def rolling(what):
        statement = f"x.rolling(100).{what}()"
        # Its windows end at their elements, and it has none at the beginning.
        return lambda: (statement, {"x": pd.Series(np.pad(random((n,), 1), (50, 49), "edge"))},
                        f"{statement}.to_numpy()[99:]")

    def rolling_median(width):
        statement = f"x.rolling({width}).median()"
        return lambda: (statement, {"x": pd.Series(random((300_000,), 1))},
                        f"{statement}.to_numpy()[{width - 1}:]")

    def cities(indexes):
        return np.array(CITIES, dtype=object)[indexes]

    def two_keys():
        places = random_indexes(300_000, 8 * 720)
        price, quantity = random((300_000,), 1), random((300_000,), 2)
        statement = ("(lambda g: g['value'].sum() / g['quantity'].sum())(pd.DataFrame({'city': city, 'hour': hour,"
                     " 'value': price * quantity, 'quantity': quantity}).groupby(['city', 'hour']))")
        return statement, {"pd": pd, "city": cities(places % 8), "hour": places // 8, "price": price,
                           "quantity": quantity}, f"{statement}.to_numpy()"

    def unique_text():
        statement = "pd.factorize(names, sort=True)[0]"
        return statement, {"pd": pd, "names": cities(random_indexes(1_000_000, 8))}, f"{statement}.astype(float)"

    return {
        f"group_sum_1000/{n}/float64": group_sum(1_000),
        f"group_sum_1000000/{n}/float64": group_sum(1_000_000),
        "rolling_quantile/300000x20/float64": lambda: (
            "x.rolling(20).quantile(0.9)", {"x": pd.Series(random((300_000,), 1))},
            "x.rolling(20).quantile(0.9).to_numpy()[19:]"),
        "group_two_keys/300000/float64": two_keys,
        "unique_text/1000000/float64": unique_text,
        # Floats to the last bit, and dates, as the others read them.
        "read_csv/1000000/float64": lambda: csv_file(
            "pd.read_csv(path, parse_dates=['day'], float_precision='round_trip')",
            "(lambda t: (t['price'] * t['quantity']).to_numpy())(table)", pd=pd),
    } | {f"rolling_{what}/{n}/float64": rolling(what) for what in ("sum", "mean", "min", "max")} | {
        f"rolling_median/300000x{width}/float64": rolling_median(width) for width in (5, 20, 100)}


def products():
    def product(shape):
        a, b = random(shape, 1), random(shape, 2)
        return "np.matmul(a, b, out=out)", {"a": a, "b": b, "out": np.empty_like(a)}, "out"

    scores = "np.einsum('bqhf,bkhf->bhqk', q, k, optimize=True)"
    return {
        "matmul/4/float64": lambda: product((4, 4)),
        "matmul/8/float64": lambda: product((8, 8)),
        "matmul/16/float64": lambda: product((16, 16)),
        "matmul/64/float64": lambda: product((64, 64)),
        "matmul/256/float64": lambda: product((256, 256)),
        "matmul/1024/float64": lambda: product((1024, 1024)),
        "matmul_batched/256x64/float64": lambda: product((256, 64, 64)),
        "attention_scores/4x128x8x64/float64": lambda: (
            scores, {"q": random((4, 128, 8, 64), 1), "k": random((4, 128, 8, 64), 2)}, scores),
    }


def fourier():
    cases = {}
    for dtype, complex_dtype in (("float64", "complex128"), ("float32", "complex64")):
        def add(name, size, call, shape, of):
            cases[f"{name}/{size}/{of}"] = lambda: (call, {"x": random(shape, 1, of)}, call)

        for n in (1024, 1 << 16, 1 << 20, 1_000_000):
            add("fft", n, "np.fft.fft(x)", (n,), complex_dtype)
            add("rfft", n, "np.fft.rfft(x)", (n,), dtype)
        add("fft_rows", "1000x1000", "np.fft.fft(x)", (1000, 1000), complex_dtype)
        add("fft_columns", "1000x1000", "np.fft.fft(x, axis=0)", (1000, 1000), complex_dtype)
        add("rfft_rows", "10000x100", "np.fft.rfft(x)", (10_000, 100), dtype)
        add("fftn", "200x200x200", "np.fft.fftn(x)", (200, 200, 200), complex_dtype)
    return cases


def linear_algebra():
    def regular_matrix():
        return random((1000, 1000), 1) + np.eye(1000)

    def positive_matrix():
        a = random((1000, 1000), 1)
        return a @ a.T / 1000 + np.eye(1000)

    cases = {
        "matrix_solve/1000x1000/float64": lambda: (
            "np.linalg.solve(a, b)", {"a": regular_matrix(), "b": random((1000,), 2)}, "np.linalg.solve(a, b)"),
        "matrix_cholesky/1000x1000/float64": lambda: ("np.linalg.cholesky(a)", {"a": positive_matrix()}, "np.linalg.cholesky(a)"),
        # Signs of rows and vectors are anybody's.
        "matrix_qr/1000x1000/float64": lambda: ("np.linalg.qr(a)", {"a": regular_matrix()}, "abs(np.linalg.qr(a)[1])"),
        "matrix_svd/1000x1000/float64": lambda: (
            "np.linalg.svd(a, full_matrices=False)", {"a": regular_matrix()}, "np.linalg.svd(a)[1]"),
        "matrix_eigh/1000x1000/float64": lambda: ("np.linalg.eigh(a)", {"a": positive_matrix()}, "np.linalg.eigh(a)[0]"),
    }
    for count, n in ((100_000, 3), (100_000, 8), (10_000, 32)):
        for dtype in ("float64", "float32"):
            def regular(count=count, n=n, dtype=dtype):
                return random((count, n, n), 1, dtype) + np.eye(n, dtype=dtype)

            def positive(regular=regular, n=n, dtype=dtype):
                a = regular()
                return a @ a.swapaxes(1, 2) + np.eye(n, dtype=dtype)

            size = f"{count}x{n}x{n}/{dtype}"
            cases[f"batch_solve/{size}"] = lambda regular=regular, shape=(count, n, 1), dtype=dtype: (
                "np.linalg.solve(a, b)", {"a": regular(), "b": random(shape, 2, dtype)}, "np.linalg.solve(a, b)")
            for name in ("inv", "det"):
                cases[f"batch_{name}/{size}"] = lambda regular=regular, call=f"np.linalg.{name}(a)": (
                    call, {"a": regular()}, call)
            cases[f"batch_cholesky/{size}"] = lambda positive=positive: (
                "np.linalg.cholesky(a)", {"a": positive()}, "np.linalg.cholesky(a)")
            # Signs of vectors are anybody's.
            cases[f"batch_eigh/{size}"] = lambda positive=positive: (
                "np.linalg.eigh(a)", {"a": positive()}, "np.linalg.eigh(a)[0]")
    return cases


def dims():
    def of_matrix(statement, **names):
        m = random((4096, 4096), 1)
        return statement, {"m": m, "out": np.empty_like(m)} | names, statement

    shuffled = ("image.reshape(8, 16, 2, 2, 128, 128).transpose(0, 1, 4, 2, 5, 3)"
                ".reshape(8, 16, 256, 256)")
    bag = "table[ids].sum(1)"
    return {
        "pixel_shuffle/8x64x128x128/float32": lambda: (
            shuffled, {"image": random((8, 64, 128, 128), 1, "float32")}, shuffled),
        "embedding_bag/100000x64/float32": lambda: (
            bag, {"table": random((100_000, 64), 1, "float32"),
                  "ids": random_indexes(4096 * 32, 100_000).reshape(4096, 32)}, bag),
        "triu/4096x4096/float64": lambda: of_matrix("np.triu(m)"),
        "diff/4096x4096/float64": lambda: of_matrix("np.diff(m, axis=1, prepend=0)"),
        "sequence_mask/4096x4096/float64": lambda: of_matrix(
            "np.where(np.arange(4096) < lengths[:, None], m, 0)", lengths=random_indexes(4096)),
    }


def laziness():
    def on_small(statement):
        return lambda: (statement, {"x": random((2, 3), 1), "y": random((2, 3), 2)}, statement)

    def open_file():
        folder = tempfile.TemporaryDirectory()
        path = os.path.join(folder.name, "benchmark.npy")
        np.save(path, random((1000, 1000), 1))
        statement = "np.load(path, mmap_mode='r')"
        return statement, {"path": path, "folder": folder}, statement

    return {
        "view_transpose/2x3/float64": on_small("x.T"),
        "view_row/2x3/float64": on_small("x[1]"),
        "open_npy/1000x1000/float64": open_file,
    }


def numexpr():
    import numexpr as ne

    ne.set_num_threads(int(os.environ.get("BENCH_THREADS", "1")))
    cases = {}
    for n in SIZES:
        for dtype in ("float64", "float32"):
            def sum_of_squares(n=n, dtype=dtype):
                statement = "ne.evaluate('sum((x - y) ** 2)')"
                return statement, {"ne": ne, "x": random(n, 1, dtype), "y": random(n, 2, dtype)}, \
                    statement

            def chain(n=n, dtype=dtype, out=True):
                a = random(n, 1, dtype)
                # Integers keep float32 what it is.
                text = "'(((((a + 4) * 2) - 3) / 2) + 6) * 4'"
                if out:
                    return f"ne.evaluate({text}, out=out)", \
                        {"ne": ne, "a": a, "out": np.empty_like(a)}, "out"
                return f"ne.evaluate({text})", {"ne": ne, "a": a}, f"ne.evaluate({text})"

            cases[f"sum_sq_diff/{n}/{dtype}"] = sum_of_squares
            cases[f"chain/{n}/{dtype}"] = chain
            cases[f"chain_new/{n}/{dtype}"] = lambda chain=chain: chain(out=False)
    return cases


def numpy():
    return elementwise() | functions() | movement() | reductions() | index_space() | lanes() | \
        statistics() | products() | linear_algebra() | fourier() | dims() | laziness() | element_types()


def coo(side, count, seed):
    import scipy.sparse

    rows, columns, values = coordinates(side, count, seed)
    return scipy.sparse.coo_matrix((values, (rows, columns)), shape=(side, side))


def of_matrices(statement, side, **names):
    # What is compared of a matrix is its product with a vector.
    return statement, names | {"x": random(side, 9)}, f"({statement}) @ x"


def matrix_file(io):
    """A file read by SciPy's functions, or by those of a module that has the same."""
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "benchmark.mtx")
    io.mmwrite(path, coo(10**6, 10**7, 1), precision=17)
    return of_matrices("io.mmread(path)", 10**6, io=io, path=path, folder=folder)


def scipy_matrices():
    import scipy.io

    def csr(side, count, seed):
        made = coo(side, count, seed).tocsr()
        made.sort_indices()
        return made

    def large(seed):
        return csr(10**6, 10**7, seed)

    def small(seed):
        return csr(10**5, 10**6, seed)

    return {
        "csr_times_vector/1000000x10/float64": lambda: (
            "a @ x", {"a": large(1), "x": random(10**6, 9)}, "a @ x"),
        "csr_times_matrix/1000000x10x8/float64": lambda: (
            "a @ x", {"a": large(1), "x": random((10**6, 8), 9)}, "a @ x"),
        "csr_add/1000000x10/float64": lambda: of_matrices(
            "a + b", 10**6, a=large(1), b=large(4)),
        "csr_product/100000x10/float64": lambda: of_matrices(
            "a @ b", 10**5, a=small(1), b=small(4)),
        "coo_to_csr/10000000/float64": lambda: of_matrices(
            "a.tocsr()", 10**6, a=coo(10**6, 10**7, 1)),
        "csr_to_csc/10000000/float64": lambda: of_matrices("a.tocsc()", 10**6, a=large(1)),
        "read_mtx/10000000/float64": lambda: matrix_file(scipy.io),
    }


def scipy():
    return scipy_filters() | scipy_sparse() | scipy_normalised() | scipy_matrices()


def fast_matrix_market():
    import fast_matrix_market as io

    return {"read_mtx/10000000/float64": lambda: matrix_file(io)}


def pydata_sparse():
    import sparse

    def vector(seed):
        indexes = sparse_indexes(1_000_000, 100, seed)
        return sparse.COO(indexes[np.newaxis], random(1_000_000, seed + 10), shape=(100_000_000,),
                          has_duplicates=False, sorted=True)

    def matrix():
        places = np.stack(np.divmod(sparse_indexes(10_000_000, 1000, 1), 100_000))
        return sparse.COO(places, random(10_000_000, 11), shape=(100_000, 100_000),
                          has_duplicates=False, sorted=True)

    return sparse_cases(vector, matrix, product="x * y", transpose="x.transpose((1, 0))",
                        rotate="sparse.roll(x, (5, 7), (0, 1))",
                        twice="sparse.concatenate([x, x])", sparse=sparse)
