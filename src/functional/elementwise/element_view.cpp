#include <purview/functional/elementwise/element_view.hpp>

#include "dtype/known_times.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The reader of a leaf of counts in memory as one of times of type T. Blocks are left to it: a
/// `Buffer<T>` for each of these types would be compiled into every program that reduces anything.
template <ElementType T>
class TimesInMemory final : public Reader<T>, public Writer<T> {
    static_assert(sizeof(T) == sizeof(std::int64_t) && std::is_trivially_copyable_v<T>);

public:
    explicit TimesInMemory(const Leaf& counts)
        : counts_(counts.shared_reader()),
          writer_(counts.writer()),
          memory_(counts.memory()),
          writable_memory_(counts.writable_memory()),
          size_(counts.size()) {}

    index_t size() const noexcept override { return size_; }
    MemoryView memory() const noexcept override { return memory_; }
    StorageId storage() const noexcept override { return counts_->storage(); }
    bool is_thread_safe() const noexcept override { return counts_->is_thread_safe(); }
    const Backend* backend() const noexcept override { return counts_->backend(); }
    MutableMemoryView writable_memory() noexcept override { return writable_memory_; }

    T read(index_t i) const override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return load_element<T>(static_cast<const std::byte*>(memory_.data) +
                               i * memory_.stride_bytes);
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        counts_->read_into(begin, step, std::ssize(out), out.data());
    }
    void gather(std::span<const index_t> indexes, std::span<T> out) const override {
        counts_->gather_into(indexes, out.data());
    }

    using Writer<T>::write;
    void write(index_t i, const T& value) override { writer_->write_from(i, 1, 1, &value); }
    void write_block(index_t begin, index_t step, std::span<const T> values) override {
        writer_->write_from(begin, step, std::ssize(values), values.data());
    }
    void scatter(std::span<const index_t> indexes, std::span<const T> values) override {
        writer_->scatter_from(indexes, values.data());
    }

private:
    std::shared_ptr<const AnyReader> counts_;
    AnyWriter* writer_; ///< null: this is not handed out as a writer
    MemoryView memory_;
    MutableMemoryView writable_memory_;
    index_t size_;
};

/// The counts of a leaf in memory as times of type T, which are written if the counts can be.
template <ElementType T>
NodePtr times_in_memory(const Leaf& counts) {
    auto times = std::make_shared<TimesInMemory<T>>(counts);
    if (!counts.writable_memory()) return make_node<Leaf>(std::move(times));
    AnyWriter& writer = *times;
    return make_node<Leaf>(std::move(times), writer);
}

/// A function that reinterprets elements as elements of another type with the same bytes.
class SameBytes final : public LibraryFunction {
public:
    SameBytes(const char* word, index_t size) : LibraryFunction(FunctionName(word)), size_(size) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        std::memcpy(out, operands[0], static_cast<std::size_t>(count * size_));
    }

private:
    index_t size_; ///< the bytes of an element
};

} // namespace

Operand with_same_bytes(const char* word, const Operand& x, DType dtype) {
    return elementwise<1>(Op::map, dtype, {x},
                          std::make_shared<const SameBytes>(word, dtype.size_bytes()));
}

Operand times_as_counts(const Operand& x) {
    const DType counted = x.dtype().counted_in();
    return counted == x.dtype() ? x : with_same_bytes("ticks", x, counted);
}

AnyTensor counts_as_times(AnyTensor counts, DType dtype) {
    if (counts.dtype() == dtype) return counts;
    const Leaf* const leaf = leaf_of(counts.operand());
    NodePtr times;
    if (leaf != nullptr && leaf->memory()) {
        for_each_time([&]<typename T>(std::type_identity<T>) {
            if (dtype == kDType<T>) times = times_in_memory<T>(*leaf);
        });
    }
    return AnyTensor(times ? Operand{std::move(times), counts.operand().dims}
                           : with_same_bytes("from_ticks", counts.operand(), dtype));
}

} // namespace purview
