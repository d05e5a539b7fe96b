#include "functional/statistics/key_words.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/row_matches.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/as_span.hpp>

#include "functional/along/numbered_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kWordBlock = 4096;

/// One word for all NaNs, and for both zeros.
std::uint64_t word_of(double value) {
    if (value != value)
        return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
    return std::bit_cast<std::uint64_t>(value + 0.0);
}

enum : std::uint64_t { kFitsInt64, kFitsUint64, kOther };

template <typename T>
std::uint64_t class_of(T value) {
    if constexpr (std::floating_point<T>) {
        if (std::trunc(value) != value || value < -0x1p63 || value >= 0x1p64) return kOther;
        return value < 0x1p63 ? kFitsInt64 : kFitsUint64;
    } else {
        return std::in_range<std::int64_t>(value) ? kFitsInt64 : kFitsUint64;
    }
}
/// The word of a number, where its class is known.
template <typename T>
std::uint64_t word_in_class(T value) {
    if constexpr (std::floating_point<T>) {
        switch (class_of(value)) {
        case kFitsInt64: return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        case kFitsUint64: return static_cast<std::uint64_t>(value);
        default: return word_of(value);
        }
    } else {
        return static_cast<std::uint64_t>(value);
    }
}

/// `word(row)` for each row.
template <typename Word>
RowWords made_words(index_t rows, Word word) {
    const MutableTensor<std::uint64_t> made = empty<std::uint64_t>({rows});
    const std::span<std::uint64_t> words = as_span(made);
    parallel_ranges(rows, kWordBlock, static_cast<double>(rows), [&](index_t begin, index_t end) {
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
            words[row] = word(row);
    });
    return {made.operand(), words};
}
template <typename T>
std::span<const T> elements_of(const Operand& held) {
    return as_span(Tensor<T>(held));
}
/// `word(element)` for each element, as a `T`.
template <typename T, typename Word>
RowWords made_words(const char* what, const Operand& column, Word word) {
    const Operand held = in_memory(what, column, kDType<T>);
    const std::span<const T> elements = elements_of<T>(held);
    return made_words(column.dims.size(), [&](std::size_t row) { return word(elements[row]); });
}
/// The words of integers, which may be their own memory.
template <typename T>
RowWords integer_words(const char* what, const Operand& column) {
    const Operand held = in_memory(what, column, kDType<T>);
    const std::span<const T> elements = elements_of<T>(held);
    return {held, {reinterpret_cast<const std::uint64_t*>(elements.data()), elements.size()}};
}

/// Numbers as words of a coding.
std::vector<RowWords> number_words_of(const char* what, const Operand& column, WordCoding coding) {
    switch (coding) {
    case WordCoding::of_int64: return {integer_words<std::int64_t>(what, column)};
    case WordCoding::of_uint64: return {integer_words<std::uint64_t>(what, column)};
    case WordCoding::of_double: return {made_words<double>(what, column, word_of)};
    case WordCoding::any: break;
    }
    const auto as = [&]<typename T>(std::type_identity<T>) -> std::vector<RowWords> {
        return {made_words<T>(what, column, class_of<T>),
                made_words<T>(what, column, word_in_class<T>)};
    };
    if (column.dtype().is_floating()) return as(std::type_identity<double>{});
    if (column.dtype() == uint64) return as(std::type_identity<std::uint64_t>{});
    return as(std::type_identity<std::int64_t>{});
}

/// Numbers that may be complex: then a word of the imaginary part is added.
std::vector<RowWords> words_of_numbers(const char* what, const Operand& column, WordCoding coding,
                                       bool with_imaginary) {
    if (!is_complex(column.dtype())) {
        std::vector<RowWords> words = number_words_of(what, column, coding);
        if (with_imaginary)
            words.push_back(made_words(column.dims.size(), [](std::size_t) { return word_of(0); }));
        return words;
    }
    const Operand held =
        in_memory(what, cast_operand(column, kDType<std::complex<double>>, Op::cast));
    const std::span<const std::complex<double>> elements = elements_of<std::complex<double>>(held);
    const auto parts = [&](auto word) {
        return made_words(column.dims.size(), [&](std::size_t row) { return word(elements[row]); });
    };
    std::vector<RowWords> words;
    if (coding == WordCoding::any) {
        words.push_back(parts([](std::complex<double> z) { return class_of(z.real()); }));
        words.push_back(parts([](std::complex<double> z) { return word_in_class(z.real()); }));
    } else {
        words.push_back(parts([](std::complex<double> z) { return word_of(z.real()); }));
    }
    words.push_back(parts([](std::complex<double> z) { return word_of(z.imag()); }));
    return words;
}

bool is_numeric(DType dtype) { return dtype.is_builtin() || is_complex(dtype); }

/// The coding in which numbers of two types are equal exactly where they are the same number.
WordCoding common_coding(DType left, DType right) {
    const auto is_float = [](DType dtype) { return dtype.is_floating() || is_complex(dtype); };
    const auto is_wide = [](DType dtype) { return dtype == int64 || dtype == uint64; };
    const auto is_signed = [](DType dtype) {
        return dtype == int8 || dtype == int16 || dtype == int32 || dtype == int64;
    };
    if (is_float(left) || is_float(right))
        return is_wide(left) || is_wide(right) ? WordCoding::any : WordCoding::of_double;
    if (left != uint64 && right != uint64) return WordCoding::of_int64;
    return is_signed(left) || is_signed(right) ? WordCoding::any : WordCoding::of_uint64;
}

std::vector<KeyWords> words_of_strings(const char* what, const Operand& left,
                                       const Operand& right) {
    const Operand a = in_memory(what, left);
    const Operand b = in_memory(what, right);
    const std::vector<std::int32_t> numbers =
        number_strings(what, elements_of<std::string>(a), elements_of<std::string>(b)).numbers;
    const auto words = [&](index_t rows, std::size_t from) {
        return made_words(
            rows, [&](std::size_t row) { return static_cast<std::uint64_t>(numbers[from + row]); });
    };
    return {{words(left.dims.size(), 0),
             words(right.dims.size(), static_cast<std::size_t>(left.dims.size()))}};
}

bool are_strings(const Operand& left, const Operand& right) {
    return left.dtype() == kDType<std::string> && right.dtype() == kDType<std::string>;
}

CodedColumn coded_column(const char* what, Operand left, Operand right) {
    const DType given_left = left.dtype();
    const DType given_right = right.dtype();
    if (given_left == given_right) {
        left = times_as_counts(left);
        right = times_as_counts(right);
    }
    left = widened_operand(std::move(left));
    right = widened_operand(std::move(right));
    if (!is_numeric(left.dtype()) || !is_numeric(right.dtype())) {
        if (given_left == given_right) throw_dtype_unsupported(what, given_left);
        throw DtypeError(
            fmt::format("{}: keys are {} on the left and {} on the right, which are never equal",
                        what, given_left.name(), given_right.name()));
    }
    const WordCoding coding = common_coding(left.dtype(), right.dtype());
    const bool complex = is_complex(left.dtype()) || is_complex(right.dtype());
    return {std::move(left), std::move(right), coding, complex};
}

/// The words of a column, of which there may be several for each row.
std::vector<KeyWords> words_of_column(const char* what, const Operand& left, const Operand& right) {
    if (are_strings(left, right)) return words_of_strings(what, left, right);
    const CodedColumn column = coded_column(what, left, right);
    std::vector<RowWords> of_left = column.words(what, column.left);
    std::vector<RowWords> of_right = column.words(what, column.right);
    std::vector<KeyWords> words;
    for (std::size_t w = 0; w < of_left.size(); ++w)
        words.push_back({std::move(of_left[w]), std::move(of_right[w])});
    return words;
}

/// Numbers in [0, count) for words on the right: the distance from the least one.
struct Digits {
    explicit Digits(const KeyWords& words) : limits(limits_of_words(words.right.words)) {}

    WordLimits limits;
};

/// The first row on the right with the same word, instead of words.
KeyWords numbered(const KeyWords& words) {
    const auto copied = [](const RowWords& given) {
        return made_words(std::ssize(given.words),
                          [&](std::size_t row) { return given.words[row]; });
    };
    KeyWords made{copied(words.left), copied(words.right)};
    const auto of = [](const RowWords& rows) {
        return as_span(MutableTensor<std::uint64_t>(rows.owner));
    };
    number_words(of(made.left), of(made.right));
    return made;
}

/// Whether pairs of words have numbers that index a table.
bool lie_close_together(const KeyWords& a, const KeyWords& b) {
    constexpr std::uint64_t kSmallTable = 1 << 16;
    const std::uint64_t most = std::max<std::uint64_t>(kSmallTable, 4 * a.right.words.size());
    const std::uint64_t of_a = limits_of_words(a.right.words).apart;
    if (of_a >= most) return false;
    const std::uint64_t of_b = limits_of_words(b.right.words).apart;
    return of_b < most / (of_a + 1);
}

/// A word for each pair of words.
KeyWords paired(KeyWords a, KeyWords b) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t rows = b.right.words.size();
    // pairs have numbers below (apart of a + 1) · (apart of b + 1), and what is none gets this one
    const auto fit = [](const Digits& x, const Digits& y) {
        return x.limits.apart < kMost && y.limits.apart < kMost &&
               x.limits.apart + 1 <= kMost / (y.limits.apart + 1);
    };
    Digits of_a(a);
    Digits of_b(b);
    if (!fit(of_a, of_b) && of_a.limits.apart >= rows) of_a = Digits(a = numbered(a));
    if (!fit(of_a, of_b)) of_b = Digits(b = numbered(b));
    const std::uint64_t radix = of_b.limits.apart + 1;
    const std::uint64_t none = (of_a.limits.apart + 1) * radix;
    const auto pairs = [&](const RowWords& x, const RowWords& y) {
        return made_words(std::ssize(x.words), [&](std::size_t row) {
            const std::uint64_t first = x.words[row] - of_a.limits.least;
            const std::uint64_t second = y.words[row] - of_b.limits.least;
            const bool has = (first <= of_a.limits.apart) & (second <= of_b.limits.apart);
            return has ? first * radix + second : none;
        });
    };
    return {pairs(a.left, b.left), pairs(a.right, b.right)};
}

void check_columns(const char* what, const char* side, const KeyColumns& columns) {
    for (const AnyTensor& column : columns) {
        if (column.rank() != 1)
            throw ShapeError(
                fmt::format("{}: a column on the {} has the shape {}, and keys have one axis", what,
                            side, to_string(column.shape())));
        require_host_reads(what, column.operand());
        if (column.size() != columns[0].size())
            throw ShapeError(fmt::format("{}: a column on the {} has {} rows, and the first has {}",
                                         what, side, column.size(), columns[0].size()));
    }
}

} // namespace

std::vector<RowWords> CodedColumn::words(const char* what, const Operand& numbers) const {
    return words_of_numbers(what, numbers, coding, complex);
}

void check_keys(const char* what, const KeyColumns& left, const KeyColumns& right) {
    if (left.empty() || left.size() != right.size())
        throw ShapeError(fmt::format("{}: the key has {} columns on the left and {} on the right",
                                     what, left.size(), right.size()));
    check_columns(what, "left", left);
    check_columns(what, "right", right);
}

std::vector<CodedColumn> coded_columns(const char* what, const KeyColumns& left,
                                       const KeyColumns& right) {
    std::vector<CodedColumn> columns;
    for (std::size_t c = 0; c < left.size(); ++c) {
        if (are_strings(left[c].operand(), right[c].operand())) return {};
        columns.push_back(coded_column(what, left[c].operand(), right[c].operand()));
    }
    return columns;
}

std::vector<KeyWords> key_words(const char* what, const KeyColumns& left, const KeyColumns& right) {
    std::vector<KeyWords> several;
    for (std::size_t c = 0; c < left.size(); ++c)
        for (KeyWords& words : words_of_column(what, left[c].operand(), right[c].operand()))
            several.push_back(std::move(words));
    return several;
}

RowMatches matched_rows(std::vector<KeyWords> words, JoinKind kind) {
    KeyWords key = std::move(words[0]);
    for (std::size_t w = 1; w < words.size(); ++w) {
        const bool is_last = w + 1 == words.size();
        if (is_last && !lie_close_together(key, words[w]))
            return RowMatches({key.left.words, words[w].left.words},
                              {key.right.words, words[w].right.words}, kind);
        key = paired(std::move(key), std::move(words[w]));
    }
    return RowMatches({key.left.words}, {key.right.words}, kind);
}

} // namespace purview
