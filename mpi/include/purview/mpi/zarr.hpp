#pragma once

// For programs that link purview::zarr, too.
#include <purview/mpi/array_folders.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/together.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/zarr.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace purview::inline v0_1::mpi {

/// An array in Zarr's format, in blocks on a grid: each rank reads the chunks that its part lies in. All ranks call it, and see the
/// same folder. Throws what `open_zarr` throws.
template <ElementType T>
Distributed<T> load_zarr(const std::string& path, const Grid& grid) {
    const Tensor<T> stored = together(grid.communicator(), [&] { return open_zarr<T>(path); });
    return evaluate(stored, blocks(stored.shape(), grid));
}

/// The elements of an array that is there.
template <ElementType T>
void write_zarr(const std::string& path, const Distributed<T>& x, const ZarrOptions& options) {
    const Communicator& ranks = x.distribution().communicator();
    const Shape shape = to_shape(x.shape());
    const MutableTensor<T> stored =
        together(ranks, [&] { return open_zarr<T, Access::read_write>(path); });
    // What is encoded whole is written by one rank.
    const index_t chunk = options.shards.empty()
                              ? leaf_of(stored.operand())->reader().chunks()->grid().chunk[0]
                              : options.shards[0];
    const index_t chunks = (shape[0] + chunk - 1) / chunk;
    std::vector<index_t> sizes;
    index_t end = 0;
    for (index_t rank = 0; rank < ranks.size(); ++rank) {
        const index_t next = std::min((rank + 1) * chunks / ranks.size() * chunk, shape[0]);
        sizes.push_back(next - end);
        end = next;
    }
    const Distributed<T> rows = redistribute(x, blocks(shape, Grid(ranks), {sizes}));
    together(ranks, [&] {
        const Box box = rows.distribution().box();
        if (rows.local().size() > 0)
            copy(rows.local(), stored(range(box.begin[0], box.end[0]), ellipsis));
    });
}

/// Stores a distributed tensor as a new array in Zarr's format: parts are brought to blocks of whole chunks, or shards, along the first axis, which ranks write
/// at the same time. All ranks call it, and see the same folder. Takes the memory of a second part. Throws what `create_zarr`
/// throws; where writing throws, chunks are left that are no array: the option `overwrite` replaces them. With `overwrite` the new
/// array is stored beside the one that is there (`.purview-new-` and its name), which is replaced when all ranks have written, and
/// stays where one throws.
template <ElementType T>
void save_zarr(const std::string& path, const Distributed<T>& x, const ZarrOptions& options = {}) {
    const Communicator& ranks = x.distribution().communicator();
    const bool replaces = options.overwrite;
    const std::string target = replaces ? folder_beside(path) : path;
    const auto on_first = [&](auto f) {
        together(ranks, [&] {
            if (ranks.rank() == 0) f();
        });
    };
    on_first([&] {
        if (replaces) remove_folder(target); // of a writer that was killed
        create_zarr<T>(target, to_shape(x.shape()), options);
    });
    try {
        write_zarr(target, x, options);
        if (replaces)
            on_first([&] {
                create_zarr<T>(path, to_shape(x.shape()), options); // what is there goes
                move_array(target, path);
            });
    } catch (...) { // what is not complete is no array
        if (ranks.rank() == 0) replaces ? remove_folder(target) : remove_array_metadata(path);
        throw;
    }
}

} // namespace purview
