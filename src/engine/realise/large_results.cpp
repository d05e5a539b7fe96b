#include "evaluation/large_results.hpp"

#include <purview/base/checked.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/allocation.hpp>
#include <purview/reader/chunked_reader.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "reader/chunk_cache.hpp"
#include "reader/temporary_file.hpp"

#include <algorithm>
#include <atomic>
#include <complex>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
/// A list in a file.
class AppendedResults::Line {
public:
    virtual void write_line(index_t first, std::span<const std::byte> elements) = 0;
    virtual void finish() = 0; ///< all writes

protected:
    ~Line() = default;
};

namespace {

/// Bytes of a chunk, about: several of them fit beside what is read.
index_t chunk_bytes() { return std::clamp<index_t>(memory_limit() / 32, 64, index_t{1} << 20); }

/// Equal parts of a shape, along all axes alike as far as they go.
Shape chunk_of(ShapeSpan shape, index_t most) {
    Shape chunk = to_shape(shape);
    for (index_t& extent : chunk) extent = std::max<index_t>(extent, 1);
    while (checked_size(chunk, "results") > most) {
        index_t& longest = *std::ranges::max_element(chunk);
        longest = (longest + 1) / 2;
    }
    return chunk;
}

/// Chunks of one file, at the places of their numbers: those of a list are the list.
template <typename T>
class TemporaryChunks final : public ChunkedBuffer<T>, public AppendedResults::Line {
public:
    TemporaryChunks(const char* what, ChunkGrid grid)
        : ChunkedBuffer<T>(std::move(grid)),
          bytes_(this->elements_per_chunk() * index_t{sizeof(T)}),
          written_(static_cast<std::size_t>(this->count())),
          file_(what, checked_multiply(this->count(), bytes_, what)) {}

    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        const index_t number = number_of(at);
        if (!written_[static_cast<std::size_t>(number)].load(std::memory_order_acquire))
            return false;
        file_.read(number * bytes_, std::as_writable_bytes(out));
        return true;
    }
    void write_chunk(ShapeSpan at, std::span<const T> elements) override {
        const index_t number = number_of(at);
        file_.write(number * bytes_, std::as_bytes(elements));
        written_[static_cast<std::size_t>(number)].store(true, std::memory_order_release);
    }
    void erase_chunk(ShapeSpan at) override {
        written_[static_cast<std::size_t>(number_of(at))].store(false, std::memory_order_release);
    }

    void write_line(index_t first, std::span<const std::byte> elements) override {
        file_.write_later({first * index_t{sizeof(T)}, elements});
        const index_t end = first + std::ssize(elements) / index_t{sizeof(T)};
        const index_t length = this->elements_per_chunk();
        for (index_t chunk = first / length; chunk * length < end; ++chunk)
            written_[static_cast<std::size_t>(chunk)].store(true, std::memory_order_release);
    }

    void finish() override { file_.finish(); }

private:
    index_t number_of(ShapeSpan at) const noexcept { return chunk_number(*this, at); }

    index_t bytes_;
    std::vector<std::atomic<bool>> written_;
    TemporaryFile file_;
};

/// `line` becomes what has them, if it is a list.
Operand results_in_file(const char* what, DType dtype, ShapeSpan shape,
                        AppendedResults::Line** line) {
    const auto chunks_of = [&]<typename T>(std::type_identity<T>) -> Operand {
        const auto chunks = std::make_shared<TemporaryChunks<T>>(
            what, ChunkGrid{to_shape(shape), chunk_of(shape, chunk_bytes() / index_t{sizeof(T)})});
        if (line != nullptr) *line = chunks.get();
        return {make_node<Leaf>(chunks, *chunks), Dimensions::row_major(shape)};
    };
    if (dtype == kDType<std::complex<float>>)
        return chunks_of(std::type_identity<std::complex<float>>{});
    if (dtype == kDType<std::complex<double>>)
        return chunks_of(std::type_identity<std::complex<double>>{});
    return visit_dtype(dtype, what, chunks_of);
}

/// As `large_results`.
Operand results_in(const char* what, const Operand& source, DType dtype, ShapeSpan shape,
                   AppendedResults::Line** line) {
    const index_t size = checked_size(shape, what);
    const bool is_number = dtype.is_builtin() || is_complex(dtype);
    if (!is_number || !source.node->reads(Below::blocks) ||
        checked_bytes(size, dtype.size_bytes(), what) <= memory_limit())
        return results_like(what, source, dtype, shape);
    return results_in_file(what, dtype, shape, line);
}

} // namespace

Operand large_results(const char* what, const Operand& source, DType dtype, ShapeSpan shape) {
    return results_in(what, source, dtype, shape, nullptr);
}

Operand temporary_results(const char* what, DType dtype, ShapeSpan shape) {
    return results_in_file(what, dtype, shape, nullptr);
}

AppendedResults::AppendedResults(const char* what, const Operand& source, DType dtype, index_t size)
    : all_(results_in(what, source, dtype, ShapeSpan(&size, 1), &line_)) {}

void AppendedResults::append(const Operand& next, bool kept) {
    const index_t first = std::exchange(size_, size_ + next.dims.max_shape()[0]);
    if (line_ == nullptr)
        return engine::assign_dense(
            next, {all_.node, dimensions::select(all_.dims, 0, Range(first, size_))});
    const DType dtype = all_.node->dtype();
    const index_t count = size_ - first;
    if (count == 0) return;
    const auto bytes = static_cast<std::size_t>(count * dtype.size_bytes());
    const auto* const there =
        next.dtype() == dtype
            ? engine::line_in_memory(next, engine::BoolBytes::rejected, engine::Alignment::any)
            : nullptr;
    if (there != nullptr) {
        line_->write_line(first, {there, bytes});
        if (!kept) line_->finish();
        return;
    }
    ElementBlock elements(dtype, count);
    engine::assign_dense(next,
                         engine::memory_operand(dtype, elements.data(), ShapeSpan(&count, 1)));
    line_->write_line(first, {elements.at(0), bytes});
    line_->finish();
}

const Operand& AppendedResults::all() const {
    if (line_ != nullptr) line_->finish();
    return all_;
}

Operand AppendedResults::in_shape(ShapeSpan shape) const {
    return {all().node, dimensions::reshape(all_.dims, shape)};
}

} // namespace purview
