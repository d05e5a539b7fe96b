"""The plan of the house: its floors, and the rooms of those that have some, each with its number and what lives there.

A floor is a folder under include/purview, mirrored in src and tests, or a top-level folder with a target of its own. A
floor includes itself and floors with a smaller number; equal numbers do not know each other. So do rooms. Below them,
the private headers that libraries share. tools/check_layers.py checks that, tools/draw_house.py draws it and lists it in
CONTRIBUTING.md.
"""

FLOORS = {
    "base": (1, "index types, small vectors, errors, checked arithmetic"),
    "dtype": (2, "run-time element types, promotion, casts"),
    "reader": (3, "what is read by index"),
    "dimensions": (3, "how n-d coordinates map to an index, and back"),
    "expression": (4, "operations as data"),
    "evaluation": (5, "what the engine offers: evaluating, assigning, folding, sorting, threads"),
    "engine": (5, "what defines that; private, only in `src`; includes `evaluation`, though on its own floor"),
    "tensor": (6, "the handles, indexing, views, printing"),
    "functional": (7, "operations on tensors"),
    "named": (7, "named dimensions"),
    "table": (7, "columns with gaps"),
    "io": (8, "files"),
    "interop": (8, "other libraries"),
    "sparse": (9, "sparse matrices, their products and files"),
    "linalg": (9, "linear algebra by LAPACK"),
    "fft": (9, "Fourier transforms"),
    "image": (9, "PNG files"),
    "csv": (9, "tables in text"),
    "hdf5": (9, "arrays in HDF5 and NetCDF-4 files"),
    "arrow": (9, "tables in Arrow's files"),
    "parquet": (9, "tables in Parquet files"),
    "gpu": (9, "devices of OpenCL and CUDA"),
    "zarr": (10, "arrays in chunks, of folders, zip files and other stores"),
    "archives": (11, "many files as one tensor, in HDF5, Zarr and NumPy's formats"),
    "mpi": (11, "tensors whose parts lie on ranks"),
}
LIBRARIES = ["sparse", "linalg", "fft", "image", "csv", "zarr", "hdf5", "archives", "arrow", "parquet", "gpu", "mpi"]  # top-level folders, each a target
PRIVATE = "engine"  # only in src/, and only its own sources include it
FACE = "evaluation"  # declares what the engine defines
# No file of these floors lies outside of their rooms, but the public headers of libraries, which any room includes.
ROOMS = {
    "engine": {
        "kernels": (0, "loops over vectors, for each target: `table` (what they are called by), `vectors`, `tiles`, "
                       "`functions`, `moves`, `sums`, `lanes`, `targets`"),
        "ways": (0, "the ways to do a work: their names, which are allowed, which was taken"),
        "places": (1, "how elements lie in memory"),
        "folds": (1, "how two results of a fold become one"),
        "complex": (1, "functions of complex numbers"),
        "times": (1, "calendars"),
        "threads": (2, "ranges of work on several threads"),
        "machine_code": (2, "programs as instructions of the processor"),
        "compile": (3, "an expression becomes a plan: values, tile programs, blocks; kept in a cache"),
        "run": (4, "a plan is run, in rows or blocks, on threads, into memory"),
        "gather": (5, "what reads at indexes or from pieces, as a source of plans"),
        "copy": (5, "copies from memory to memory"),
        "boxes": (6, "cells of arrays in chunks, walked within a limit of memory"),
        "realise": (7, "what would be computed again and again is computed once; reading, assigning what is dense"),
        "reduce": (8, "folds of everything, rows, axes and cells"),
        "pairs": (9, "pairs of index and value"),
        "sparse": (10, "expressions over pairs; assigning"),
        "along": (11, "scans, rolling windows"),
        "selecting": (11, "places of trues, lists of indexes, scattering"),
        "order": (12, "sorting, ranks, groups"),
        "contract": (12, "sums of products: BLAS, fused loops, sparse products"),
        "entrance": (13, "the way of each fold, assignment and scatter is chosen"),
        "statistics": (14, "moments, counts, places of extremes, exact sums"),
        "compiled": (14, "compiled expressions, which keep what was prepared"),
        "loops": (14, "steps of a loop, several for each time that memory is read"),
        "explain": (15, "the same decisions in words"),
        "cpu": (16, "the backend of this process"),
    },
    "functional": {
        "elementwise": (1, "operations on each element, of numbers, strings and times"),
        "assembly": (2, "tensors made of parts of others: concat, pad, take, scatter, masks"),
        "reductions": (3, "folds, norms, distances, policies for NaN"),
        "along": (4, "along one axis: scans, windows, differences, sorting, search"),
        "statistics": (5, "moments, percentiles, correlations, histograms, groups"),
        "applied": (6, "traced computations, loops, explain, random numbers, gradients, colours"),
    },
    "gpu": {
        "driver": (1, "OpenCL and CUDA, opened when a program runs"),
        "memory": (2, "buffers, copies, streams, checks that are waiting"),
        "kernels": (2, "the text of kernels, built and kept"),
        "tensors": (3, "works of expressions on a device"),
    },
    "zarr": {
        "stores": (1, "folders, zip files, memory: bytes by key"),
        "text": (1, "JSON, and elements and attributes in it"),
        "codecs": (2, "chunks as bytes: compressors, filters, shards"),
        "metadata": (3, "what arrays and groups say of themselves, in both formats"),
        "arrays": (4, "opening, reading, writing"),
    },
    "mpi": {
        "messages": (1, "communicators, agreement, messages"),
        "distributions": (2, "which rank has which elements"),
        "expressions": (3, "what a rank needs of others to evaluate"),
        "moving": (4, "scatter, gather, redistribute"),
        "files": (4, "each rank its part of a file"),
        "products": (4, "sums of products, panel by panel"),
        "reductions": (4, "partial results, joined along a tree"),
        "order": (5, "sorting, distinct elements, quantiles, histograms, groups"),
        "loops": (5, "steps of a loop, several between two messages"),
    },
}

# The private headers that libraries include from elsewhere, and what for. There is no other way in but public headers; the
# bindings of Python have those alone.
SHARED = {
    "src/base/axis_order.hpp": "which axis is walked outside of which",
    "src/base/descriptor.hpp": "open files, and paths that the system takes whole",
    "src/base/fork_lock.hpp": "mutexes that a child of a fork finds unlocked",
    "src/base/number_from_chars.hpp": "numbers in text, where the standard library reads no floats too",
    "src/base/quoted_text.hpp": "text from outside, in messages",
    "src/dimensions/followed_axes.hpp": "which part of an array a view shows",
    "src/dimensions/layer.hpp": "the layers of a view, where one has to be made again",
    "src/dtype/element_block.hpp": "elements of a type known at run time",
    "src/dtype/known_times.hpp": "the types of times",
    "src/dtype/stored_types.hpp": "the types that files and other processes hold",
    "src/evaluation/copies_of_chunks.hpp": "which chunks a copy reads, to read them ahead or to copy them as they are",
    "src/evaluation/fold_axes.hpp": "the steps in which axes are folded, as the CPU takes them",
    "src/evaluation/fold_order.hpp": "the order in which elements are folded, for the same bits",
    "src/evaluation/lapack.hpp": "functions of BLAS and LAPACK, opened at run time",
    "src/evaluation/lane_slabs.hpp": "parts of an operand in memory, whole along some axes",
    "src/evaluation/large_results.hpp": "results in chunks, in temporary files",
    "src/evaluation/loops/placed_states.hpp": "where states lie in memory",
    "src/evaluation/loops/step_windows.hpp": "steps of a loop in a window of its states",
    "src/evaluation/loops/tiled_steps.hpp": "several steps of a loop for each time that memory is read",
    "src/evaluation/scaled_products.hpp": "products that leave the range of their type on the way",
    "src/functional/applied/loops/captured_operands.hpp": "what a traced function captures, as operands",
    "src/functional/reductions/found_nan.hpp": "the error for a NaN, with its place",
    "src/functional/reductions/typed_memory.hpp": "memory of a type known at run time, for results",
    "src/functional/reductions/slab_results.hpp": "what is made of parts of an operand, put together",
    "src/functional/statistics/interpolated.hpp": "quantiles between two elements, rounded as in memory",
    "src/interop/arrow_export.hpp": "columns as arrays of Arrow's",
    "src/interop/arrow_format.hpp": "what the formats of Arrow's types say",
    "src/interop/arrow_owned.hpp": "arrays of Arrow's C interface that own what they point to",
    "src/interop/arrow_types.hpp": "the element types that Arrow's arrays hold",
    "src/interop/dlpack_types.hpp": "the types of DLPack",
    "src/io/chunk_decoders.hpp": "chunks that several formats compress alike",
    "src/io/json_text.hpp": "text and numbers as JSON",
    "src/io/leftover_files.hpp": "names of temporary files, and what is left of them",
    "src/io/npy_array.hpp": "arrays of NumPy's files, inside of others",
    "src/io/npy_descr.hpp": "the names of types that NumPy writes",
    "src/io/read_file.hpp": "files that several threads read by position",
    "src/io/replacement_file.hpp": "files that replace others as a whole",
    "src/reader/byte_swapped.hpp": "elements in the other byte order",
    "src/reader/chunk_cache.hpp": "chunks in memory, within the limit",
    "src/table/grouped_columns.hpp": "columns in files, in groups of rows that are decoded when they are read",
    "src/table/rows_at_once.hpp": "tables a part of their rows at a time",
    "src/table/column_cast.hpp": "columns as numbers of another type",
    "sparse/src/zip_archive.hpp": "members of zip files",
    "hdf5/src/detached.hpp": "arrays whose HDF5 files need not stay open",
    "zarr/src/text/json.hpp": "JSON, as Zarr writes it",
    "zarr/src/text/json_attributes.hpp": "attributes in JSON",
}


def numbers(plan):
    """name -> number"""
    return {name: number for name, (number, _) in plan.items()}
