#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <memory>
#include <optional>

namespace purview::inline v0_1::zarr {

/// What is to be stored in chunks that lie across those of the arrays it reads, stored in chunks between
/// them, so that reading and writing take each once.
class ChunksBetween {
public:
    /// Nothing where a copy to the destination reads chunks at most twice, within the memory limit of now,
    /// or where chunks between would not help.
    static std::optional<ChunksBetween> stored(const AnyTensor& source,
                                               const AnyTensor& destination);

    const AnyTensor& values() const noexcept { return values_; }

private:
    class Folder;
    ChunksBetween(std::shared_ptr<Folder> folder, AnyTensor values);

    std::shared_ptr<Folder> folder_; ///< removed when this ends
    AnyTensor values_;
};

} // namespace purview::zarr
