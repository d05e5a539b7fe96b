// Sequences that run as one function come to what their instructions come to.

#include "kernels_oracle.hpp"

namespace kernels_fused_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

constexpr TileOp kOps[] = {TileOp::add, TileOp::subtract, TileOp::multiply, TileOp::divide};

/// Random operations between a load and the end.
template <typename T>
struct Sequence {
    explicit Sequence(Random& random) : x(random.values<T>(kElements)), y(x), constant() {
        y = Misaligned<T>(random.values<T>(kElements), 3);
        constant = random.value(hard_values<T>());
        const auto length = static_cast<std::size_t>(random.below(7));
        for (std::size_t i = 0; i < length; ++i) {
            const index_t kind = random.below(5);
            const TileOp op = kOps[static_cast<std::size_t>(random.below(4))];
            if (kind == 0)
                steps.push_back({Form::unary, TileOp::square, nullptr});
            else if (kind < 3)
                steps.push_back({Form::a_op_memory, op, y.data()});
            else
                steps.push_back({Form::a_op_constant, op, &constant});
        }
        prefetched = random.below(3);
    }

    KernelProgram begin(const KernelTable& table, const void* accumulator) {
        KernelProgram program(table, kTypeId<T>);
        if (accumulator != nullptr) program.add(Form::reload_b, accumulator);
        for (index_t i = 0; i < prefetched; ++i) program.add(Form::prefetch, x.data());
        program.add(Form::load_a, x.data());
        for (const Step& step : steps) program.add(step.form, step.op, step.operand);
        return program;
    }

    struct Step {
        Form form;
        TileOp op;
        const void* operand;
    };
    static constexpr std::size_t kElements = 4 * kMaxTileBytes / sizeof(T);
    Misaligned<T> x;
    Misaligned<T> y;
    T constant;
    std::vector<Step> steps;
    index_t prefetched = 0;
};

std::size_t tiles_of(const KernelTable& table, Random& random) {
    return 1 + static_cast<std::size_t>(
                   random.below(static_cast<index_t>(4 * kMaxTileBytes / table.tile_bytes)));
}

template <typename T>
void check_equal(const void* expected, const void* actual, std::size_t count) {
    std::vector<T> a(count);
    std::vector<T> b(count);
    std::memcpy(a.data(), expected, count * sizeof(T));
    std::memcpy(b.data(), actual, count * sizeof(T));
    CHECK(first_difference(b, count, [&](std::size_t i) { return a[i]; }) == -1);
}

} // namespace

TEST_CASE("a sequence that is stored, as one function") {
    Random random(1);
    for (const KernelTable* const each : available_kernels()) {
        const KernelTable& table = *each;
        int found = 0;
        for (int round = 0; round < 500; ++round)
            for_floats([&]<typename T>(T) {
                Sequence<T> sequence(random);
                const Form end = random.below(2) == 0 ? Form::store_last : Form::stream_last;
                const bool streams = random.below(2) == 0;
                const std::size_t elements = tiles_of(table, random) * table.tile_bytes / sizeof(T);
                std::vector<ScratchTile> expected(4);
                std::vector<ScratchTile> actual(4);
                for (std::vector<ScratchTile>* const out : {&expected, &actual}) {
                    KernelProgram program = sequence.begin(table, nullptr);
                    program.add(end, out->data());
                    program.state.streams = streams;
                    if (out == &actual) found += program.fuse(0);
                    program.run(elements, sizeof(T));
                    table.finish_streams();
                }
                check_equal<T>(expected.data(), actual.data(), elements);
            });
        CHECK((found > 0) == (std::string_view(table.name) != "scalar"));
    }
}

TEST_CASE("a sequence that is summed, as one function") {
    Random random(2);
    for (const KernelTable* const each : available_kernels()) {
        const KernelTable& table = *each;
        for (const TileOp fold : {TileOp::add, TileOp::minimum, TileOp::maximum})
            for (int round = 0; round < 200; ++round)
                for_floats([&]<typename T>(T) {
                    if (table.find(Form::accumulate_in_b, fold, kTypeId<T>) == nullptr) return;
                    Sequence<T> sequence(random);
                    const std::size_t elements =
                        tiles_of(table, random) * table.tile_bytes / sizeof(T);
                    const std::vector<T> start = random.values<T>(kFloatLanes);
                    ScratchTile expected;
                    ScratchTile actual;
                    for (ScratchTile* const out : {&expected, &actual}) {
                        std::memcpy(out, start.data(), start.size() * sizeof(T));
                        KernelProgram program = sequence.begin(table, out);
                        program.add(Form::accumulate_in_b, fold, out);
                        if (out == &actual) program.fuse(1);
                        program.run(elements, sizeof(T));
                    }
                    check_equal<T>(&expected, &actual, kFloatLanes);
                });
    }
}

TEST_CASE("pieces of a sum each begin anew") {
    Random random(3);
    for (const KernelTable* const each : available_kernels()) {
        const KernelTable& table = *each;
        for_floats([&]<typename T>(T) {
            constexpr std::size_t kPieces = 4;
            const std::size_t lanes = kMaxTileBytes / sizeof(T);
            Misaligned<T> x(random.values<T>(kPieces * lanes));
            ScratchTile accumulator;
            ScratchTile start{};
            ScratchTile out[kPieces];
            KernelProgram program(table, kTypeId<T>);
            program.add(Form::load_a, x.data());
            program.add(Form::accumulate_last, TileOp::add, &accumulator);
            program.fold(lanes, sizeof(T), kPieces, &start, &accumulator, out);
            for (std::size_t piece = 0; piece < kPieces; ++piece)
                for (std::size_t k = 0; k < kFloatLanes; ++k) {
                    T expected{};
                    for (std::size_t i = k; i < lanes; i += kFloatLanes)
                        expected += x[piece * lanes + i];
                    T actual;
                    std::memcpy(&actual, out[piece].bytes + k * sizeof(T), sizeof(T));
                    CHECK(same(actual, expected));
                }
        });
    }
}

} // namespace kernels_fused_test
