#pragma once

#include "kernels_oracle.hpp"

#include <support/guarded_memory.hpp>

#include <algorithm>

// Inputs and outputs of kernels that end exactly at a page that may not be touched, or begin right
// behind one.

namespace purview::inline v0_1::engine::test {

inline constexpr std::size_t kSizes[] = {1, 2, 4, 8};
inline constexpr std::size_t kRoom = 1 << 16;

/// The same bytes again and again, which differ from their neighbours.
inline void fill_with_noise(unsigned char* data, std::size_t bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes; ++i)
        data[i] = static_cast<unsigned char>((i + seed) * 2654435761u >> 13);
}

/// An input, an output and what the output should be. Where `distance` is not 0, what is placed at the
/// end stops that many bytes before it, so that it is not aligned.
struct Arena {
    GuardedMemory in{kRoom};
    GuardedMemory out{kRoom};
    std::vector<unsigned char> twin;

    struct Places {
        unsigned char* in;
        unsigned char* out;
    };

    Places place(std::size_t in_bytes, std::size_t out_bytes, bool at_end, std::size_t distance) {
        Places places{in.place(in_bytes + distance, at_end),
                      out.place(out_bytes + distance, at_end)};
        if (!at_end) {
            places.in += distance;
            places.out += distance;
        }
        fill_with_noise(places.in, in_bytes, in_bytes);
        fill_with_noise(places.out, out_bytes, 12345);
        twin.assign(places.out, places.out + out_bytes);
        return places;
    }
    bool agrees(const Places& places) const {
        return std::equal(twin.begin(), twin.end(), places.out);
    }
};

/// Calls f(table, size, at_end, distance) for each combination there is.
template <typename F>
void for_placements(F f) {
    for (const KernelTable* const table : available_kernels())
        for (const std::size_t size : kSizes)
            for (const bool at_end : {true, false})
                for (std::size_t distance = 0; distance <= size; distance += size > 2 ? 3 : 1) {
                    INFO(table->name << " size " << size << " at end " << at_end << " distance "
                                     << distance);
                    f(*table, size, at_end, distance);
                }
}

} // namespace purview::engine::test
