#pragma once

// For programs that link purview::zarr, too.
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/mpi/collective.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/zarr.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace purview::inline v0_1::mpi {

/// An array that all ranks open, under the same path.
template <typename T>
struct OpenedOnAll {
    Tensor<T> values;
    Shape chunk;
};
template <ElementType T>
OpenedOnAll<T> opened_on_all(const char* what, const std::string& path, const Communicator& ranks) {
    std::optional<OpenedOnAll<T>> opened;
    const auto open = [&] {
        const StoredArray array = open_zarr_array(path);
        opened.emplace(array.values.template as<T>(), array.chunk_shape);
        return path;
    };
    run_steps(what, ranks, open, [] {});
    return *std::move(opened);
}

/// An array in Zarr's format as a distributed tensor of which nothing is read yet: what is computed from it reads its chunks within the
/// memory limit of each rank, each in the part that it has, and sends none of them (`distribute_lazily`). Of a grid parts are blocks of whole
/// chunks, so that no chunk is read by two ranks but for edges. All ranks call it, and see the same folder. Reads metadata alone. Throws what `open_zarr`
/// throws, and `ShapeError` for a distribution of another shape.
template <ElementType T>
Distributed<T> open_zarr(const std::string& path, const Distribution& d) {
    return distribute_lazily(opened_on_all<T>("open_zarr", path, d.communicator()).values, d);
}
template <ElementType T>
Distributed<T> open_zarr(const std::string& path, const Grid& grid) {
    const auto [stored, chunk] = opened_on_all<T>("open_zarr", path, grid.communicator());
    return distribute_lazily(stored, blocks_of_chunks(stored.shape(), grid, AxisValues(chunk)));
}

/// An array in Zarr's format, in blocks on a grid, in memory: each rank reads the chunks that its part lies in, within the
/// limit, and takes the memory of its part besides. All ranks call it, and see the same folder. Throws what `open_zarr` throws.
template <ElementType T>
Distributed<T> load_zarr(const std::string& path, const Grid& grid) {
    const Tensor<T> stored = opened_on_all<T>("load_zarr", path, grid.communicator()).values;
    return evaluate(stored, blocks(stored.shape(), grid));
}

/// The elements of an array that is there.
template <ElementType T>
void write_zarr(const std::string& path, const Operand& e, const Communicator& ranks) {
    Shape chunk; // what is encoded whole is written by one rank
    const MutableTensor<T> stored = collective(ranks, [&] {
        const StoredArray array = open_zarr_array(path, Access::read_write);
        chunk = array.shard_shape;
        return array.values.template as_mutable<T>();
    });
    const Distribution rows = blocks_of_chunks(stored.shape(), Grid(ranks), AxisValues(chunk));
    evaluate_in_boxes("save_zarr", e, rows, chunk, memory_limit() / 4,
                      [&](const Operand& values, const Box& box) {
                          copy(Tensor<T>(values), MutableTensor<T>(in_box(stored.operand(), box)));
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

/// Stores an expression over distributed tensors as a new array in Zarr's format: ranks compute and write blocks of whole
/// chunks, or shards, along the first axis, at the same time, so many chunks at once as take a quarter of the least memory limit of the ranks: twice that is
/// taken besides the operands, one chunk at least. All ranks call it, and see the same folder. Throws what `create_zarr` and the expression
/// throw; where writing throws, chunks are left that are no array: the option `overwrite` replaces them. With `overwrite` the new
/// array is stored beside the one that is there (`.purview-new-` and its name), which is replaced when all ranks have written, and
/// stays where one throws: so the expression may read it.
template <typename E>
    requires(std::convertible_to<const E&, Whole> && !std::is_void_v<ElementOfWhole<E>>)
void save_zarr(const std::string& path, const E& e, const Communicator& ranks,
               const ZarrOptions& options = {}) {
    using T = ElementOfWhole<E>;
    const Operand operand = Whole(e).operand();
    const Shape shape = to_shape(operand.dims.max_shape());
    const bool replaces = options.overwrite;
    run_steps(
        "save_zarr", ranks, [&] { return path; }, [] {});
    const ArrayPlaces places(path);
    const std::string& target = replaces ? places.new_path() : path;
    const auto on_first = [&](auto f) {
        collective(ranks, [&] {
            if (ranks.rank() == 0) f();
        });
    };
    on_first([&] {
        if (replaces) places.erase_new(); // of a writer that was killed
        create_zarr<T>(target, shape, options);
    });
    try {
        write_zarr<T>(target, operand, ranks);
        if (replaces)
            on_first([&] {
                create_zarr<T>(path, shape, options); // what is there goes
                places.replace();
            });
        if (replaces) drop_cached_chunks(); // on all ranks, of what was there before
    } catch (...) {                         // what is not complete is no array
        try {
            if (ranks.rank() == 0) replaces ? places.erase_new() : places.erase_metadata();
        } catch (const Error&) { // the first error says why
        }
        throw;
    }
}
/// A distributed tensor, by the ranks that have it.
template <ElementType T>
void save_zarr(const std::string& path, const Distributed<T>& x, const ZarrOptions& options = {}) {
    save_zarr(path, x, x.distribution().communicator(), options);
}

} // namespace purview::mpi
