#include "arrays/chunks_between.hpp"

#include "base/descriptor.hpp"
#include "evaluation/copies_of_chunks.hpp"
#include "io/leftover_files.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/zarr/save_zarr.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace purview::inline v0_1::zarr {
namespace {

/// A box of at most so many elements that `chunk` becomes by doubling axes along which `other` is longer.
Shape grown(Shape chunk, ShapeSpan other, ShapeSpan shape, index_t most) {
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t k = 0; k < chunk.size(); ++k) {
            const index_t longest = std::min(other[k], shape[k]);
            if (chunk[k] >= longest) continue;
            const index_t before = std::exchange(chunk[k], std::min(2 * chunk[k], longest));
            if (checked_size(chunk, "save_zarr") > most)
                chunk[k] = before;
            else
                grows = true;
        }
    }
    return chunk;
}

const Chunks& written_chunks(const AnyTensor& array) {
    // Of a tensor that may write: its reader is the writer.
    const Chunks& chunks = *leaf_of(array.operand())->reader().chunks();
    return const_cast<Chunks&>(chunks).written_chunks();
}

} // namespace

/// A folder for what is stored between, below the one for temporary files.
class ChunksBetween::Folder {
public:
    Folder() {
        std::error_code error;
        const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
        if (error)
            file::throw_system_error("save_zarr", "find the folder for temporary files (TMPDIR)",
                                     parent.string(), error.value());
        path_ = std::filesystem::absolute(parent) / file::temporary_name();
        // Others neither made it nor can they read what is in it.
        if (::mkdir(path_.c_str(), 0700) != 0)
            file::throw_system_error("save_zarr", "create the folder", path_.string(), errno);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

ChunksBetween::ChunksBetween(std::shared_ptr<Folder> folder, AnyTensor values)
    : folder_(std::move(folder)), values_(std::move(values)) {}

std::optional<ChunksBetween> ChunksBetween::stored(const AnyTensor& source,
                                                   const AnyTensor& destination) {
    const auto direct = copies_of_chunks(source.operand(), destination.operand());
    if (!direct || direct->read <= 2 * direct->different) return std::nullopt;
    // A quarter of the limit for a group of cells, as much again for what it is written to.
    const ShapeSpan shape = destination.operand().dims.max_shape();
    const index_t most = memory_limit() / 4 / destination.dtype().size_bytes();
    const Shape& written = written_chunks(destination).grid().chunk;
    const Shape of_reading = grown(direct->cell, written, shape, most);
    Shape chunk = grown(written, direct->cell, shape, most);
    for (std::size_t k = 0; k < chunk.size(); ++k)
        chunk[k] = std::max<index_t>(1, std::min(chunk[k], of_reading[k]));
    auto folder = std::make_shared<Folder>();
    AnyTensor between = create_zarr(folder->path(), destination.dtype(), AxisValues(shape),
                                    {.chunks = chunk, .codecs = {ZarrCodec::blosc("lz4", 1)}});
    const auto there = copies_of_chunks(source.operand(), between.operand());
    const auto back = copies_of_chunks(between.operand(), destination.operand());
    if (!there || !back || there->read >= direct->read / 2 || back->read > 2 * back->different)
        return std::nullopt;
    copy_operand(source.operand(), between.operand(), "save_zarr");
    return ChunksBetween(std::move(folder), std::move(between));
}

} // namespace purview::zarr
