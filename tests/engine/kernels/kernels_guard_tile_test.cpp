#include "kernels_guard_arena.hpp"

#include <purview/dtype/cast.hpp>

namespace kernels_guard_tile_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

template <typename T>
using Stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

template <typename T>
Stored<T> element(const unsigned char* data, std::size_t i) {
    Stored<T> x;
    std::memcpy(&x, data + i * sizeof(x), sizeof(x));
    return x;
}

/// A type that is known at run time, and how its memory holds a small number.
struct Type {
    TypeId id;
    std::string name;
    std::size_t size;
    void (*store)(int, unsigned char*);
};

std::vector<Type> all_types() {
    std::vector<Type> types;
    const auto add = [&]<typename T>(T) {
        types.push_back({.id = kTypeId<T>,
                         .name = std::string(kDType<T>.name()),
                         .size = sizeof(T),
                         .store = [](int number, unsigned char* out) {
                             const auto x = static_cast<Stored<T>>(static_cast<T>(number));
                             std::memcpy(out, &x, sizeof(x));
                         }});
    };
    add(bool{});
    for_numbers(add);
    return types;
}

void check_casts(Arena& arena, const KernelTable& table, const Type& from, const Type& to) {
    INFO(table.name << " " << from.name << " to " << to.name);
    const bool from_bools = from.id == kTypeId<bool>;
    for (const bool checked : {false, true}) {
        const CastBlock cast = table.find_cast(from.id, to.id, checked);
        for (const bool at_end : {true, false})
            for (std::size_t n = 0; n <= 300; n += n < 135 ? 1 : 11)
                for (const std::size_t distance : {std::size_t{0}, n % 8}) {
                    const auto places = arena.place(n * from.size, n * to.size, at_end, distance);
                    // Small numbers, which all types have; a foreign bool may be any byte.
                    for (std::size_t i = 0; i < n; ++i) {
                        const int number = static_cast<int>(i % 100);
                        if (from_bools)
                            places.in[i] = static_cast<unsigned char>(number);
                        else
                            from.store(number, places.in + i * from.size);
                        to.store(from_bools ? number != 0 : number,
                                 arena.twin.data() + i * to.size);
                    }
                    INFO("count " << n << " checked " << checked << " at end " << at_end);
                    const index_t misfit = cast(places.in, places.out, static_cast<index_t>(n));
                    if (misfit != -1 || !arena.agrees(places)) {
                        CHECK(misfit == -1);
                        CHECK(arena.agrees(places));
                    }
                }
    }
}

} // namespace

TEST_CASE("Guard pages: casts") {
    Arena arena;
    const std::vector<Type> types = all_types();
    for (const KernelTable* const table : available_kernels())
        for (const Type& from : types)
            for (const Type& to : types) check_casts(arena, *table, from, to);
}

TEST_CASE("Guard pages: tiles read and write whole tiles and nothing else") {
    GuardedMemory x_memory(kRoom), y_memory(kRoom), bools_memory(kRoom), out_memory(kRoom),
        mask_memory(kRoom);
    for (const KernelTable* const table : available_kernels())
        for_numbers([&]<typename T>(T) {
            const std::size_t lanes = table->tile_bytes / sizeof(T);
            for (const std::size_t tiles :
                 {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}})
                for (const bool at_end : {true, false})
                    for (const std::size_t distance : {std::size_t{0}, std::size_t{1}}) {
                        INFO(table->name << " " << kDType<T>.name() << " tiles " << tiles
                                         << " at end " << at_end << " distance " << distance);
                        const std::size_t n = tiles * lanes;
                        const auto place = [&](const GuardedMemory& memory, std::size_t bytes) {
                            return memory.place(bytes + distance, at_end) + (at_end ? 0 : distance);
                        };
                        unsigned char* const x = place(x_memory, n * sizeof(T));
                        unsigned char* const y = place(y_memory, n * sizeof(T));
                        unsigned char* const out = place(out_memory, n * sizeof(T));
                        unsigned char* const bools = place(bools_memory, n);
                        unsigned char* const masks = place(mask_memory, n);
                        for (std::size_t i = 0; i < n; ++i) {
                            const T a = static_cast<T>(i % 11), b = static_cast<T>(i % 7);
                            std::memcpy(x + i * sizeof(T), &a, sizeof(T));
                            std::memcpy(y + i * sizeof(T), &b, sizeof(T));
                            bools[i] = i % 3 == 0 ? 5 : 0;
                        }

                        // x + y where a bool says so, else y; and which of x are less than y.
                        ScratchTile scratch;
                        KernelProgram chosen(*table, kTypeId<T>);
                        chosen.add(Form::load_bools_b, bools)
                            .add(Form::load_a, x)
                            .add(Form::a_op_memory, TileOp::add, y)
                            .add(Form::b_chooses_a_or_memory, y)
                            .add(Form::spill_a, &scratch)
                            .add(Form::reload_a, &scratch)
                            .add(Form::store_last, out)
                            .run(n, sizeof(T));
                        KernelProgram compared(*table, kTypeId<T>);
                        compared.add(Form::load_a, x)
                            .add(Form::a_op_memory, TileOp::less, y)
                            .add(Form::store_bools_last, masks)
                            .run(n, sizeof(T));
                        index_t wrong = -1;
                        for (std::size_t i = 0; i < n; ++i) {
                            const T a = element<T>(x, i), b = element<T>(y, i);
                            const T expected = bools[i] != 0 ? static_cast<T>(a + b) : b;
                            if (!same(element<T>(out, i), expected) ||
                                masks[i] != static_cast<unsigned char>(a < b))
                                wrong = static_cast<index_t>(i);
                        }
                        INFO("element " << wrong);
                        CHECK(wrong == -1);

                        // A sum reads the input and nothing behind it.
                        alignas(64) unsigned char accumulator[kAccumulatorBytes] = {};
                        KernelProgram sum(*table, kTypeId<T>);
                        sum.add(Form::load_a, x)
                            .add(Form::accumulate_last, TileOp::add, accumulator)
                            .run(n, sizeof(T));
                        const std::size_t wide =
                            accumulator_lanes(std::is_floating_point_v<T>, sizeof(T));
                        T total{};
                        T expected{};
                        for (std::size_t i = 0; i < wide; ++i)
                            total = static_cast<T>(total + element<T>(accumulator, i));
                        for (std::size_t i = 0; i < n; ++i)
                            expected = static_cast<T>(expected + element<T>(x, i));
                        CHECK(same(total, expected));
                    }
        });
}

} // namespace kernels_guard_tile_test
