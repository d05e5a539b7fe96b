#include "kernels_oracle.hpp"

#include <support/guarded_memory.hpp>

#include <algorithm>
#include <cstring>

namespace kernels_bits_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

TEST_CASE("Bits: bools packed, and their indexes, without a byte too many") {
    constexpr std::size_t kRoom = 1 << 16;
    GuardedMemory bool_memory(kRoom);
    GuardedMemory index_memory(kRoom);
    for (const KernelTable* const table : available_kernels()) {
        Random random(31);
        for (const unsigned density : {0U, 1U, 40U, 128U, 250U, 256U})
            for (index_t n = 0; n < 2100; n += n < 300 ? 1 : 97) {
                INFO(table->name << " count " << n << " density " << density);
                auto* const bools = static_cast<unsigned char*>(
                    bool_memory.place(static_cast<std::size_t>(n), true));
                std::vector<index_t> expected;
                std::vector<std::uint64_t> words(static_cast<std::size_t>((n + 63) / 64), 0);
                for (index_t i = 0; i < n; ++i) {
                    const bool set = (random.bits() & 255) < density;
                    bools[i] = set ? static_cast<unsigned char>(1 + random.below(255)) : 0;
                    if (!set) continue;
                    expected.push_back(i + 1000);
                    words[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << i % 64;
                }
                std::vector<std::uint64_t> packed(words.size(), ~std::uint64_t{0});
                CHECK(table->pack_bools(bools, n, packed.data()) == std::ssize(expected));
                CHECK(packed == words);
                const std::size_t bytes = expected.size() * sizeof(index_t);
                auto* const out =
                    static_cast<index_t*>(static_cast<void*>(index_memory.place(bytes, true)));
                table->expand_bits(packed.data(), std::ssize(packed), 1000, out,
                                   out + expected.size());
                CHECK(std::equal(expected.begin(), expected.end(), out));
            }
    }
}

} // namespace kernels_bits_test
