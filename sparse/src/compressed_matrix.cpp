#include <purview/sparse/compressed_matrix.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

struct Words {
    const char* major;
    const char* minor;
    const char* form;
};
constexpr Words words_of(Major major) {
    return major == Major::row ? Words{"row", "column", "CsrMatrix"}
                               : Words{"column", "row", "CscMatrix"};
}

/// Whether the indexes of one row rise and lie in [0, minors).
template <typename I>
bool is_ordered(const I* first, const I* last, index_t minors) {
    if (first == last) return true;
    bool rises = *first >= 0;
    for (const I* at = first + 1; at < last; ++at) rises &= at[-1] < at[0];
    return rises && last[-1] < minors;
}

template <typename I>
[[noreturn]] void throw_disordered(Major major, index_t of, index_t minors, const I* indices,
                                   index_t begin, index_t end) {
    const Words words = words_of(major);
    for (index_t k = begin; k < end; ++k) {
        if (indices[k] < 0 || indices[k] >= minors)
            throw IndexError(fmt::format("{}: {} {} at position {} ({} {}) is out of range for {}",
                                         words.form, words.minor, indices[k], k, words.major, of,
                                         minors));
        if (k > begin && indices[k] <= indices[k - 1])
            throw IndexError(fmt::format("{}: {} {} at position {} ({} {}) {} {}", words.form,
                                         words.minor, indices[k], k, words.major, of,
                                         indices[k] == indices[k - 1] ? "repeats the one before,"
                                                                      : "comes behind",
                                         indices[k - 1]));
    }
    throw IndexError(
        fmt::format("{}: {} {} changed while it was checked", words.form, words.major, of));
}

} // namespace

AnyTensor kept_memory(const AnyTensor& elements) {
    return elements.is_contiguous() ? contiguous(elements) : elements;
}

template <typename I>
void check_compressed(Major major, index_t rows, index_t columns, std::span<const I> pointers,
                      std::span<const I> indices, index_t values) {
    const Words words = words_of(major);
    if (rows < 0 || columns < 0)
        throw ShapeError(
            fmt::format("{}: [{} {}] is no shape of a matrix", words.form, rows, columns));
    const index_t majors = major == Major::row ? rows : columns;
    const index_t minors = major == Major::row ? columns : rows;
    const index_t stored = std::ssize(indices);
    if (std::ssize(pointers) - 1 != majors)
        throw ShapeError(fmt::format("{}: {} pointers do not describe {} {}s", words.form,
                                     pointers.size(), majors, words.major));
    if (values != stored)
        throw ShapeError(fmt::format("{}: {} indices and {} values", words.form, stored, values));
    if (pointers.front() != 0)
        throw IndexError(
            fmt::format("{}: the first pointer is {} and not 0", words.form, pointers.front()));
    for (index_t m = 0; m < majors; ++m) {
        const index_t begin = pointers[static_cast<std::size_t>(m)];
        const index_t end = pointers[static_cast<std::size_t>(m) + 1];
        if (end < begin)
            throw IndexError(fmt::format("{}: pointer {} goes down, from {} to {}", words.form,
                                         m + 1, begin, end));
        if (end > stored)
            throw IndexError(fmt::format("{}: pointer {} is {}, and {} entries are stored",
                                         words.form, m + 1, end, stored));
        if (!is_ordered(indices.data() + begin, indices.data() + end, minors))
            throw_disordered(major, m, minors, indices.data(), begin, end);
    }
    if (pointers.back() != stored)
        throw IndexError(fmt::format("{}: the last pointer is {}, and {} entries are stored",
                                     words.form, pointers.back(), stored));
}

template PURVIEW_SPARSE_EXPORT void check_compressed<std::int32_t>(Major, index_t, index_t,
                                                                   std::span<const std::int32_t>,
                                                                   std::span<const std::int32_t>,
                                                                   index_t);
template PURVIEW_SPARSE_EXPORT void check_compressed<std::int64_t>(Major, index_t, index_t,
                                                                   std::span<const std::int64_t>,
                                                                   std::span<const std::int64_t>,
                                                                   index_t);

} // namespace purview
