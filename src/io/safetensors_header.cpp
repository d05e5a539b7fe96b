#include "io/safetensors_header.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>

#include "base/json_cursor.hpp"
#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "io/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

namespace purview::inline v0_1::safetensors {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 8;
constexpr std::string_view kMetadata = "__metadata__";

struct Type {
    std::string_view name;
    index_t bits;
    std::optional<DType> dtype = std::nullopt;
};

/// Those of version 0.6 of the format's own library.
constexpr Type kTypes[] = {{"BOOL", 8, boolean},
                           {"U8", 8, uint8},
                           {"I8", 8, int8},
                           {"U16", 16, uint16},
                           {"I16", 16, int16},
                           {"U32", 32, uint32},
                           {"I32", 32, int32},
                           {"U64", 64, uint64},
                           {"I64", 64, int64},
                           {"F16", 16, kDType<Half>},
                           {"BF16", 16, kDType<BFloat16>},
                           {"F32", 32, float32},
                           {"F64", 64, float64},
                           {"C64", 64, kDType<std::complex<float>>},
                           {"F4", 4},
                           {"F6_E2M3", 6},
                           {"F6_E3M2", 6},
                           {"F8_E4M3", 8},
                           {"F8_E5M2", 8},
                           {"F8_E8M0", 8},
                           {"F8_E4M3FNUZ", 8},
                           {"F8_E5M2FNUZ", 8}};

const Type* known_type(std::string_view name) {
    const Type* const found = std::ranges::find(kTypes, name, &Type::name);
    return found == std::end(kTypes) ? nullptr : found;
}

/// What such elements take; nothing where the count of them, or of these bits, is more than an `index_t` holds.
std::optional<index_t> bits_of(ShapeSpan shape, index_t bits_of_one) {
    index_t bits = bits_of_one;
    bool is_empty = false;
    for (const index_t extent : shape) {
        if (extent == 0)
            is_empty = true;
        else if (__builtin_mul_overflow(bits, extent, &bits))
            return std::nullopt;
    }
    return is_empty ? 0 : bits;
}

class HeaderParser {
public:
    HeaderParser(std::string_view text, index_t data_begin, index_t data_bytes,
                 const std::string& where)
        : where_(where),
          json_(where + ": its header", text),
          data_begin_(data_begin),
          data_bytes_(data_bytes) {}

    Header parse() {
        if (!json_.take('{')) json_.fail("'{'");
        if (!json_.take('}')) {
            do read_member();
            while (json_.take(','));
            json_.expect('}');
        }
        json_.expect_end();
        check_places();
        return std::move(header_);
    }

private:
    template <typename... Args>
    [[noreturn]] void fail(const std::string& name, fmt::format_string<Args...> text,
                           Args&&... args) const {
        throw FormatError(fmt::format("{}: array {} {}", where_, file::quoted_text(name),
                                      fmt::format(text, std::forward<Args>(args)...)));
    }

    void read_member() {
        std::string name = json_.string();
        json_.expect(':');
        if (!names_.insert(name).second)
            throw FormatError(
                fmt::format("{}: the name {} comes twice", where_, file::quoted_text(name)));
        if (name == kMetadata) return read_metadata();
        json_.set_where(fmt::format("{}: array {}", where_, file::quoted_text(name)));
        read_entry(std::move(name));
        json_.set_where(where_ + ": its header");
    }

    void read_metadata() {
        json_.set_where(fmt::format("{}: {}", where_, kMetadata));
        json_.list('{', '}', [&] {
            std::string name = json_.string();
            json_.expect(':');
            if (header_.metadata.contains(name))
                json_.fail(fmt::format("{} once before this place", file::quoted_text(name)));
            header_.metadata.emplace(std::move(name), json_.string());
        });
        json_.set_where(where_ + ": its header");
    }

    void read_entry(std::string name) {
        std::optional<std::string> type;
        std::optional<Shape> shape;
        std::optional<Shape> offsets;
        json_.list('{', '}', [&] {
            const std::string key = json_.string();
            json_.expect(':');
            const auto once = [&](bool is_there) {
                if (is_there) json_.fail(fmt::format("\"{}\" once before this place", key));
            };
            if (key == "dtype") {
                once(type.has_value());
                type = json_.string();
            } else if (key == "shape") {
                once(shape.has_value());
                shape = json_.integers(kMaxRank);
            } else if (key == "data_offsets") {
                once(offsets.has_value());
                offsets = json_.integers(2);
            } else {
                json_.skip_value();
            }
        });
        for (const auto& [is_there, key] :
             {std::pair(type.has_value(), "dtype"), std::pair(shape.has_value(), "shape"),
              std::pair(offsets.has_value(), "data_offsets")})
            if (!is_there) fail(name, "has no {}", key);
        add(std::move(name), *std::move(type), *std::move(shape), *offsets);
    }

    /// Checks an array for itself.
    void add(std::string name, std::string type, Shape shape, const Shape& offsets) {
        if (offsets.size() != 2)
            fail(name, "has {} data_offsets, and not 2: its beginning and its end", offsets.size());
        const index_t begin = offsets[0];
        const index_t end = offsets[1];
        if (begin < 0 || end < begin || end > data_bytes_)
            fail(name, "lies from byte {} to {} of the data, which have {}", begin, end,
                 data_bytes_);
        if (std::ranges::any_of(shape, [](index_t extent) { return extent < 0; }))
            fail(name, "has the shape {}", to_string(shape));
        // Of a type that is not known here, how many bytes an element takes is not, either.
        const Type* const known = known_type(type);
        const std::optional<index_t> bits = bits_of(shape, known == nullptr ? 1 : known->bits);
        if (!bits) fail(name, "has the shape {}, more than can be counted", to_string(shape));
        if (known != nullptr && *bits != (end - begin) * 8)
            fail(name, "has the shape {} of {}, which takes {} bits, and {} bytes, from {} to {}",
                 to_string(shape), type, *bits, end - begin, begin, end);
        header_.entries.push_back({.name = std::move(name),
                                   .type = std::move(type),
                                   .shape = std::move(shape),
                                   .offset = data_begin_ + begin,
                                   .bytes = end - begin});
    }

    /// Puts the arrays in order, and checks that each begins where the one before it ends.
    void check_places() {
        auto& entries = header_.entries;
        std::ranges::stable_sort(entries, {}, [](const SafetensorsEntry& each) {
            return std::pair(each.offset, each.bytes);
        });
        index_t end = data_begin_;
        const std::string* before = nullptr;
        for (const SafetensorsEntry& each : entries) {
            if (each.offset < end)
                fail(each.name, "begins at byte {} of the data, and {} ends at {}",
                     each.offset - data_begin_, file::quoted_text(*before), end - data_begin_);
            if (each.offset > end)
                fail(each.name,
                     "begins at byte {} of the data, and those from {} on are no array's",
                     each.offset - data_begin_, end - data_begin_);
            end += each.bytes;
            before = &each.name;
        }
        if (end != data_begin_ + data_bytes_)
            throw FormatError(fmt::format("{}: its arrays take {} bytes, and its data have {}",
                                          where_, end - data_begin_, data_bytes_));
    }

    const std::string& where_;
    JsonCursor json_;
    index_t data_begin_;
    index_t data_bytes_;
    std::set<std::string, std::less<>> names_;
    Header header_;
};

std::string checked_text(const std::string& text, const std::string& where) {
    if (!is_utf8(text))
        throw FormatError(fmt::format("{}: {} is no UTF-8", where, file::quoted_text(text)));
    return json::text_of(text);
}

} // namespace

std::optional<DType> dtype_named(std::string_view type) {
    const Type* const known = known_type(type);
    return known == nullptr ? std::nullopt : known->dtype;
}

std::optional<std::string_view> type_of(DType dtype) {
    for (const Type& each : kTypes)
        if (each.dtype == dtype) return each.name;
    return std::nullopt;
}

Header parse_header(std::span<const std::byte> file, const std::string& where) {
    if (file.size() < kLengthBytes)
        throw FormatError(fmt::format("{}: has {} bytes, and the length of its header takes {}",
                                      where, file.size(), kLengthBytes));
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;)
        length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
    if (length > static_cast<std::uint64_t>(kMaxHeaderBytes))
        throw FormatError(fmt::format("{}: its header has {} bytes, and {} are the most", where,
                                      length, kMaxHeaderBytes));
    const std::size_t present = file.size() - kLengthBytes;
    if (length > present)
        throw FormatError(fmt::format("{}: its header has {} bytes, and the file {} for it", where,
                                      length, present));
    const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                                static_cast<std::size_t>(length));
    if (!text.starts_with('{'))
        throw FormatError(fmt::format("{}: its header does not begin with '{{'", where));
    return HeaderParser(text, static_cast<index_t>(kLengthBytes + text.size()),
                        static_cast<index_t>(present - text.size()), where)
        .parse();
}

std::string format_header(const Header& header, const std::string& where) {
    std::string text = "{";
    if (!header.metadata.empty()) {
        std::string pairs;
        for (const auto& [name, value] : header.metadata)
            pairs += fmt::format("{}{}:{}", pairs.empty() ? "" : ",", checked_text(name, where),
                                 checked_text(value, where));
        text += fmt::format(R"("{}":{{{}}})", kMetadata, pairs);
    }
    index_t begin = 0;
    for (const SafetensorsEntry& each : header.entries) {
        text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                            text.size() > 1 ? "," : "", checked_text(each.name, where), each.type,
                            fmt::join(each.shape, ","), begin, begin + each.bytes);
        begin += each.bytes;
    }
    text += '}';
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    if (std::ssize(text) > kMaxHeaderBytes)
        throw FormatError(fmt::format("{}: the names and texts take a header of {} bytes, and {} "
                                      "are the most",
                                      where, text.size(), kMaxHeaderBytes));
    std::string bytes;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        bytes += static_cast<char>(text.size() >> (8 * i) & 0xFF);
    return bytes + text;
}

} // namespace purview::safetensors
