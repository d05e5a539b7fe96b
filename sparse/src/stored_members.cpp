#include "stored_members.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace purview::inline v0_1::sparse {
namespace {

// PKWARE's APPNOTE.TXT 6.3: 4.3.7 (local headers), 4.3.12 (central directory), 4.3.14 to 4.3.16 (its end), 4.5.3 (zip64).
constexpr std::uint64_t kLocalHeader = 30;
constexpr std::uint64_t kCentralHeader = 46;
constexpr std::uint64_t kEnd = 22;
constexpr std::uint64_t kEnd64 = 56;
constexpr std::uint64_t kEnd64Locator = 20;
constexpr std::uint64_t kElsewhere = 0xffffffff; ///< the number stands in the zip64 field

class Bytes {
public:
    explicit Bytes(std::span<const std::byte> file) : file_(file) {}

    std::uint64_t size() const noexcept { return file_.size(); }
    bool has(std::uint64_t at, std::uint64_t count) const noexcept {
        return at <= size() && count <= size() - at;
    }
    /// A little-endian number. Precondition: `has(at, width)`.
    std::uint64_t number(std::uint64_t at, std::uint64_t width) const noexcept {
        std::uint64_t value = 0;
        for (std::uint64_t i = width; i-- > 0;)
            value = value << 8 | static_cast<std::uint64_t>(file_[at + i]);
        return value;
    }
    /// Whether `count` bytes begin with PK and these two.
    bool begins(std::uint64_t at, std::uint64_t count, std::uint64_t third_and_fourth) const {
        return has(at, count) && number(at, 2) == 0x4b50 && number(at + 2, 2) == third_and_fourth;
    }
    std::string_view text(std::uint64_t at, std::uint64_t count) const {
        return {reinterpret_cast<const char*>(file_.data()) + at, static_cast<std::size_t>(count)};
    }

private:
    std::span<const std::byte> file_;
};

struct Directory {
    std::uint64_t begin;
    std::uint64_t members;
};

std::optional<Directory> directory_of(const Bytes& file) {
    if (file.size() < kEnd) return std::nullopt;
    // Behind the end there may be a comment of at most 65535 bytes.
    const std::uint64_t last = file.size() - kEnd;
    for (std::uint64_t back = 0; back <= std::min<std::uint64_t>(last, 65535); ++back) {
        const std::uint64_t at = last - back;
        if (!file.begins(at, kEnd, 0x0605) || file.number(at + 20, 2) != back) continue;
        if (at >= kEnd64Locator && file.begins(at - kEnd64Locator, kEnd64Locator, 0x0706)) {
            const std::uint64_t end = file.number(at - kEnd64Locator + 8, 8);
            if (!file.begins(end, kEnd64, 0x0606)) return std::nullopt;
            return Directory{file.number(end + 48, 8), file.number(end + 32, 8)};
        }
        return Directory{file.number(at + 16, 4), file.number(at + 10, 2)};
    }
    return std::nullopt;
}

/// Sizes and place of a member, from its header in the directory and the zip64 field behind it.
struct Numbers {
    std::uint64_t bytes;
    std::uint64_t stored_bytes;
    std::uint64_t header;
};

std::optional<Numbers> numbers_of(const Bytes& file, std::uint64_t at, std::uint64_t extra,
                                  std::uint64_t extra_bytes) {
    Numbers found{file.number(at + 24, 4), file.number(at + 20, 4), file.number(at + 42, 4)};
    std::uint64_t* const wide[] = {&found.bytes, &found.stored_bytes, &found.header};
    if (std::ranges::none_of(wide, [](const auto* n) { return *n == kElsewhere; })) return found;
    const std::uint64_t end = extra + extra_bytes;
    for (; end - extra >= 4; extra += 4 + file.number(extra + 2, 2)) {
        std::uint64_t left = file.number(extra + 2, 2);
        if (left > end - extra - 4) return std::nullopt;
        if (file.number(extra, 2) != 1) continue;
        std::uint64_t place = extra + 4;
        for (std::uint64_t* const number : wide) {
            if (*number != kElsewhere) continue;
            if (left < 8) return std::nullopt;
            *number = file.number(place, 8);
            place += 8;
            left -= 8;
        }
        return found;
    }
    return std::nullopt;
}

} // namespace

std::map<std::string, StoredMember, std::less<>> stored_members(std::span<const std::byte> bytes) {
    std::map<std::string, StoredMember, std::less<>> found;
    const Bytes file(bytes);
    const std::optional<Directory> directory = directory_of(file);
    if (!directory) return found;
    std::uint64_t at = directory->begin;
    for (std::uint64_t i = 0; i < directory->members; ++i) {
        if (!file.begins(at, kCentralHeader, 0x0201)) return found;
        const std::uint64_t flags = file.number(at + 8, 2);
        const std::uint64_t method = file.number(at + 10, 2);
        const std::uint64_t name_bytes = file.number(at + 28, 2);
        const std::uint64_t extra_bytes = file.number(at + 30, 2);
        const std::uint64_t more = name_bytes + extra_bytes + file.number(at + 32, 2);
        if (!file.has(at + kCentralHeader, more)) return found;
        const std::string_view name = file.text(at + kCentralHeader, name_bytes);
        const auto numbers = numbers_of(file, at, at + kCentralHeader + name_bytes, extra_bytes);
        at += kCentralHeader + more;
        // Of two of one name the last is meant, however it is stored.
        if (const auto older = found.find(name); older != found.end()) found.erase(older);
        constexpr std::uint64_t kEncrypted = 1;
        if (method != 0 || (flags & kEncrypted) != 0 || !numbers ||
            numbers->bytes != numbers->stored_bytes ||
            !file.begins(numbers->header, kLocalHeader, 0x0403))
            continue;
        const std::uint64_t begin = numbers->header + kLocalHeader +
                                    file.number(numbers->header + 26, 2) +
                                    file.number(numbers->header + 28, 2);
        if (file.has(begin, numbers->bytes))
            found.emplace(name, StoredMember{static_cast<index_t>(begin),
                                             static_cast<index_t>(numbers->bytes)});
    }
    return found;
}

} // namespace purview::sparse
