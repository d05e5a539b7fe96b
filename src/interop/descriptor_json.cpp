// Defines purview/interop/descriptor.hpp.
#include <purview/interop/descriptor.hpp>

#include <purview/base/errors.hpp>

#include "dtype/stored_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr std::string_view kBig = "big-endian";
constexpr std::string_view kLittle = "little-endian";
constexpr int kMaxDepth = 64;

/// Reads JSON from the front of a text.
class JsonCursor {
public:
    explicit JsonCursor(std::string_view text) : text_(text) {}

    [[noreturn]] void fail(std::string_view expected) const {
        throw FormatError(fmt::format("descriptor_from_json: {} expected at byte {} of {}",
                                      expected, at_, text_.size()));
    }
    bool take(char c) {
        skip_space();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(fmt::format("'{}'", c));
    }
    bool take_word(std::string_view word) {
        skip_space();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    void expect_end() {
        skip_space();
        if (at_ != text_.size()) fail("the end");
    }
    /// A string as it is written: what this reads has no escapes in it.
    std::string_view string() {
        expect('"');
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2U : 1U;
        if (at_ >= text_.size()) fail("'\"'");
        return text_.substr(begin, at_++ - begin);
    }
    template <typename Integer>
    Integer integer() {
        skip_space();
        Integer value{};
        const char* const end = text_.data() + text_.size();
        const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
        if (error != std::errc{}) fail("an integer of 64 bits");
        if (rest != end && (*rest == '.' || *rest == 'e' || *rest == 'E')) fail("an integer");
        at_ = static_cast<std::size_t>(rest - text_.data());
        return value;
    }
    bool boolean() {
        if (take_word("true")) return true;
        if (!take_word("false")) fail("true or false");
        return false;
    }
    /// Calls `entry()` before each value of a list, up to the closing bracket.
    template <typename Entry>
    void list(char open, char close, Entry entry) {
        expect(open);
        if (take(close)) return;
        do entry();
        while (take(','));
        expect(close);
    }
    Shape integers() {
        Shape values;
        list('[', ']', [&] {
            if (values.size() == kMaxRank) fail(fmt::format("at most {} axes", kMaxRank));
            values.push_back(integer<index_t>());
        });
        return values;
    }
    void skip_value(int depth = 0) {
        skip_space();
        if (depth > kMaxDepth) fail("less depth");
        if (at_ == text_.size()) fail("a value");
        switch (text_[at_]) {
        case '"': string(); return;
        case '[': return list('[', ']', [&] { skip_value(depth + 1); });
        case '{':
            return list('{', '}', [&] {
                string();
                expect(':');
                skip_value(depth + 1);
            });
        default: break;
        }
        if (take_word("true") || take_word("false") || take_word("null")) return;
        const std::size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
        if (end == at_) fail("a value");
        at_ = end == std::string_view::npos ? text_.size() : end;
    }

private:
    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::optional<DType> stored_dtype(std::string_view name) {
    std::optional<DType> found;
    const auto test = [&]<typename T>(std::type_identity<T>) {
        if (!found && kDType<T>.name() == name) found = kDType<T>;
    };
    for_each_stored(test);
#define PURVIEW_TEST_NAME(T) test(std::type_identity<T>{});
    PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_TEST_NAME)
#undef PURVIEW_TEST_NAME
    return found;
}

Shape row_major_bytes(ShapeSpan shape, index_t size) {
    Shape strides = row_major_strides(shape);
    for (index_t& stride : strides) stride *= size; // the shape has been checked
    return strides;
}

} // namespace

std::string to_json(const MemoryDescriptor& memory) {
    const bool is_big = memory.byte_order == std::endian::big;
    return fmt::format(R"({{"ptr": {}, "datatype": "{}", "shape": [{}], "strides": [{}], )"
                       R"("endianness": "{}", "readonly": {}}})",
                       reinterpret_cast<std::uintptr_t>(memory.pointer), memory.dtype.name(),
                       fmt::join(memory.shape, ", "), fmt::join(memory.strides, ", "),
                       is_big ? kBig : kLittle, memory.read_only);
}

MemoryDescriptor descriptor_from_json(std::string_view text) {
    JsonCursor json(text);
    MemoryDescriptor memory;
    std::optional<DType> dtype;
    std::optional<Shape> shape;
    std::optional<Shape> strides;
    std::optional<std::uint64_t> pointer;
    constexpr std::array<std::string_view, 6> kKeys{"ptr",     "datatype",   "shape",
                                                    "strides", "endianness", "readonly"};
    std::array<bool, kKeys.size()> seen{};
    json.list('{', '}', [&] {
        const std::string_view key = json.string();
        const auto known = static_cast<std::size_t>(std::ranges::find(kKeys, key) - kKeys.begin());
        if (known < kKeys.size() && std::exchange(seen[known], true))
            json.fail("each key once before this place");
        json.expect(':');
        if (key == "ptr") {
            pointer = json.integer<std::uint64_t>();
        } else if (key == "datatype") {
            dtype = stored_dtype(json.string());
            if (!dtype) json.fail("the name of an element type before this place");
        } else if (key == "shape") {
            shape = json.integers();
        } else if (key == "strides") {
            if (!json.take_word("null")) strides = json.integers();
        } else if (key == "endianness") {
            const std::string_view order = json.string();
            if (order != kBig && order != kLittle)
                json.fail("little-endian or big-endian before this place");
            memory.byte_order = order == kBig ? std::endian::big : std::endian::little;
        } else if (key == "readonly") {
            memory.read_only = json.boolean();
        } else {
            json.skip_value();
        }
    });
    json.expect_end();
    for (const auto& [is_there, key] :
         {std::pair(pointer.has_value(), "ptr"), std::pair(dtype.has_value(), "datatype"),
          std::pair(shape.has_value(), "shape")})
        if (!is_there) json.fail(fmt::format("the key \"{}\" before the end", key));
    if (strides && strides->size() != shape->size())
        json.fail("as many strides as extents before the end");
    memory.pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(*pointer));
    memory.dtype = *dtype;
    memory.strides = strides ? *std::move(strides) : row_major_bytes(*shape, dtype->size_bytes());
    memory.shape = *std::move(shape);
    return memory;
}

} // namespace purview
