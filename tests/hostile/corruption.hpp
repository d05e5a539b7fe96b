#pragma once

#include "hostile/check.hpp"

#include <purview/base/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <string>

namespace hostile {

/// A file's bytes with a few of them changed, cut off, doubled, left out or swapped, one by one and in pieces; and numbers, lengths
/// among them, put to where code goes wrong.
inline std::string corrupted(std::string bytes, std::mt19937& random) {
    const auto below = [&](std::size_t n) { return random() % (n == 0 ? 1 : n); };
    for (auto times = 1 + below(4); times > 0 && !bytes.empty(); --times) {
        const std::size_t at = below(bytes.size());
        const std::size_t other = below(bytes.size());
        switch (below(9)) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8)); break;
        case 2: bytes.resize(at); break;
        case 3: bytes.insert(at, bytes.substr(other, below(20))); break;
        case 4: bytes.insert(at, bytes.substr(other, below(bytes.size()))); break;
        case 5: bytes.erase(at, below(bytes.size() / 2)); break;
        case 6: {
            const std::size_t length = below(bytes.size() - std::max(at, other));
            std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(at, other)),
                             bytes.begin() +
                                 static_cast<std::ptrdiff_t>(
                                     std::min({at, other}) +
                                     std::min(length, std::max(at, other) - std::min(at, other))),
                             bytes.begin() + static_cast<std::ptrdiff_t>(std::max(at, other)));
            break;
        }
        case 7: {
            const std::uint32_t numbers[] = {0, 1, 255, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
            const std::uint32_t number = numbers[below(std::size(numbers))];
            const bool big_end_first = below(2) == 0;
            for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
                bytes[at + i] = static_cast<char>(number >> 8 * (big_end_first ? 3 - i : i));
            break;
        }
        default: std::swap(bytes[at], bytes[other]);
        }
    }
    return bytes;
}

/// Whatever is read is read rightly, or refused by an error of the library's: of the file as it is, and of `count` that are
/// corrupted, and then what `mend` makes of them.
template <typename Read, typename Mend>
void feed(const std::string& good, int count, const Read& read, const Mend& mend) {
    std::mt19937 random(20260); // the same in every run
    read(good);
    int refused = 0;
    for (int i = 0; i < count; ++i) {
        try {
            read(mend(corrupted(good, random)));
        } catch (const purview::Error&) {
            ++refused;
        } catch (const std::bad_alloc&) {
            ++refused;
        }
    }
    check(refused > 0, "some of them are refused");
}
template <typename Read>
void feed(const std::string& good, const Read& read, int count = 400) {
    feed(good, count, read, [](std::string bytes) { return bytes; });
}

} // namespace hostile
