#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/reader/element.hpp>
#include <purview/reader/reader.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// A reader of the elements of an operand in row-major order. The expression is compiled once.
template <ElementType T>
class OperandReader final : public Reader<T> {
public:
    explicit OperandReader(const Operand& operand)
        : depth_(nested_depth(reader_depth_below(operand), "as_reader")),
          evaluation_(operand),
          operand_(operand),
          backend_(reader_backend_below(operand)) {}

    index_t size() const override { return evaluation_.size(); }
    bool is_thread_safe() const noexcept override { return evaluation_.is_thread_safe(); }
    int depth() const noexcept override { return depth_; }
    T read(index_t i) const override {
        T value{};
        evaluation_.read(i, 1, &value);
        return value;
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        if (step != 1) return Reader<T>::read_block(begin, step, out);
        evaluation_.read(begin, static_cast<index_t>(out.size()), out.data());
    }
    std::vector<StorageId> storages() const override { return storages_below(operand_); }
    const Backend* backend() const noexcept override { return backend_; }

private:
    int depth_;
    Evaluation evaluation_;
    Operand operand_;
    const Backend* backend_;
};

/// A reader of the elements of an operand, whose element type is T.
template <typename T>
std::shared_ptr<const AnyReader> operand_reader(const Operand& operand) {
    return std::make_shared<const OperandReader<T>>(operand);
}
// Those of the built-in types and of strings are compiled once, in src/tensor/operand_reader.cpp.
#define PURVIEW_OPERAND_READER(what, T) \
 what template PURVIEW_EXPORT std::shared_ptr<const AnyReader> operand_reader<T>(const Operand&);
#define PURVIEW_EXTERN_OPERAND_READER(T) PURVIEW_OPERAND_READER(extern, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_OPERAND_READER)
PURVIEW_EXTERN_OPERAND_READER(std::string)
#undef PURVIEW_EXTERN_OPERAND_READER

/// The place, read-only, of the element at a row-major index of a computed operand; keeps its reader, which is one of T, alive.
template <ElementType T>
typename Element<T>::Place computed_place(const std::shared_ptr<const AnyReader>& reader,
                                          index_t index) {
    return {nullptr, static_cast<const Reader<T>*>(reader.get()), nullptr, index,
            new Owner(reader)};
}

} // namespace purview
