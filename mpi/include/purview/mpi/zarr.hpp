#pragma once

// For programs that link purview::zarr, too.
#include <purview/mpi/collective.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/zarr.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace purview::inline v0_1::mpi {

/// An array in Zarr's format, in blocks on a grid: each rank reads the chunks that its part lies in. All ranks call it, and see the
/// same folder. Throws what `open_zarr` throws.
template <ElementType T>
Distributed<T> load_zarr(const std::string& path, const Grid& grid) {
    const Tensor<T> stored = collective(grid.communicator(), [&] { return open_zarr<T>(path); });
    return evaluate(stored, blocks(stored.shape(), grid));
}

/// The elements of an array that is there.
template <ElementType T>
void write_zarr(const std::string& path, const Distributed<T>& x, const ZarrOptions& options) {
    const Communicator& ranks = x.distribution().communicator();
    const Shape shape = to_shape(x.shape());
    const MutableTensor<T> stored =
        collective(ranks, [&] { return open_zarr<T, Access::read_write>(path); });
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
    collective(ranks, [&] {
        const Box box = rows.distribution().box();
        if (rows.local().size() > 0)
            copy(rows.local(), stored(range(box.begin[0], box.end[0]), ellipsis));
    });
}

/// An array in a folder, and the one beside it that takes its place once that is complete. One rank changes them.
class ArrayPlaces {
public:
    explicit ArrayPlaces(const std::string& path) {
        std::filesystem::path array = std::filesystem::absolute(path).lexically_normal();
        if (!array.has_filename()) array = array.parent_path(); // "x.zarr/"
        name_ = array.filename().string();
        store_ = directory_store(array.parent_path().string());
        new_path_ = (array.parent_path() / new_name()).string();
    }
    const std::string& new_path() const noexcept { return new_path_; }
    void erase_new() const { store_->erase_all(new_name()); }
    /// Without which it is no array.
    void erase_metadata() const {
        for (const char* const file : {"zarr.json", ".zarray", ".zattrs"})
            store_->erase(name_ + '/' + file);
    }
    /// Moves the new array to where one without chunks is, its metadata last: a process that is killed leaves no array.
    void replace() const {
        erase_metadata();
        for (const bool last : {false, true})
            for (const std::string& part : store_->list(new_name()))
                if ((part == "zarr.json" || part == ".zarray") == last)
                    store_->move_all(new_name() + '/' + part, name_ + '/' + part);
        erase_new();
    }

private:
    std::string new_name() const { return ".purview-new-" + name_; }

    std::string name_;
    std::string new_path_;
    std::shared_ptr<Store> store_; ///< the folder that both lie in
};

/// Stores a distributed tensor as a new array in Zarr's format: parts are brought to blocks of whole chunks, or shards, along the first axis, which ranks write
/// at the same time. All ranks call it, and see the same folder. Takes the memory of a second part. Throws what `create_zarr`
/// throws; where writing throws, chunks are left that are no array: the option `overwrite` replaces them. With `overwrite` the new
/// array is stored beside the one that is there (`.purview-new-` and its name), which is replaced when all ranks have written, and
/// stays where one throws.
template <ElementType T>
void save_zarr(const std::string& path, const Distributed<T>& x, const ZarrOptions& options = {}) {
    const Communicator& ranks = x.distribution().communicator();
    const bool replaces = options.overwrite;
    const ArrayPlaces places(path);
    const std::string& target = replaces ? places.new_path() : path;
    const auto on_first = [&](auto f) {
        collective(ranks, [&] {
            if (ranks.rank() == 0) f();
        });
    };
    on_first([&] {
        if (replaces) places.erase_new(); // of a writer that was killed
        create_zarr<T>(target, to_shape(x.shape()), options);
    });
    try {
        write_zarr(target, x, options);
        if (replaces)
            on_first([&] {
                create_zarr<T>(path, to_shape(x.shape()), options); // what is there goes
                places.replace();
            });
    } catch (...) { // what is not complete is no array
        try {
            if (ranks.rank() == 0) replaces ? places.erase_new() : places.erase_metadata();
        } catch (const Error&) { // the first error says why
        }
        throw;
    }
}

} // namespace purview::mpi
