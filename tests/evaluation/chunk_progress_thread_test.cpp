#include <purview/evaluation/progress.hpp>
#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/stored_chunks.hpp>

#include <memory>
#include <stdexcept>
#include <vector>

namespace chunk_progress_thread_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::StoredChunks;
using oracle::Threads;

constexpr pv::ProgressOptions kAlways{.after_seconds = 0, .every_seconds = 0};

/// 4096 chunks of 8 elements.
std::shared_ptr<StoredChunks<double>> many_chunks() {
    return std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{8, 4096}, {1, 8}}, 1.);
}

/// How many chunks `work` reads of these that is stopped when it tells for the third time.
template <typename F>
int reads_until_stopped(F work) {
    const MemoryLimit limit(1 << 24);
    const auto chunks = many_chunks();
    const auto t = pv::tensor(chunks, {8, 4096});
    int calls = 0;
    const auto told = pv::on_progress([&](const pv::Progress&) { return ++calls < 3; }, kAlways);
    CHECK_THROWS_AS(work(t), pv::Cancelled);
    CHECK(calls == 3);
    return chunks->reads;
}

TEST_CASE("Work on arrays in chunks ends between two chunks", "[threads]") {
    const Threads one(1);
    // Two are read between three calls; what is told of between parts comes on top of that.
    const auto few = [](int reads) { return reads > 0 && reads <= 4; };
    CHECK(few(reads_until_stopped([](const auto& t) { static_cast<void>(pv::sum(t)); })));
    CHECK(few(reads_until_stopped([](const auto& t) { static_cast<void>(pv::clone(t)); })));
    CHECK(few(
        reads_until_stopped([](const auto& t) { static_cast<void>(pv::clone(pv::exp(t) + 1.)); })));
    CHECK(few(reads_until_stopped([](const auto& t) { static_cast<void>(pv::sum(t, 0)); })));
    CHECK(few(reads_until_stopped([](const auto& t) { static_cast<void>(pv::sort(t, 1)); })));
    CHECK(few(reads_until_stopped([](const auto& t) { static_cast<void>(pv::median(t)); })));
    CHECK(few(reads_until_stopped([](const auto& t) {
        static_cast<void>(pv::clone(pv::reshape(t, {64, 512})));
    })));
    const auto weights = pv::to_sparse(pv::eye<double>(512));
    CHECK(few(reads_until_stopped([&](const auto& t) {
        static_cast<void>(pv::matmul(pv::reshape(t, {64, 512}), pv::transpose(weights)));
    })));
}

TEST_CASE("What a callback throws between two chunks ends the work of several threads",
          "[threads]") {
    const Threads two(2);
    const MemoryLimit limit(1 << 24);
    const auto t = pv::tensor(many_chunks(), {8, 4096});
    {
        const auto told = pv::on_progress(
            [](const pv::Progress&) -> bool { throw std::domain_error("enough"); }, kAlways);
        CHECK_THROWS_AS(pv::sum(pv::sq(t)), std::domain_error);
    }
    CHECK(pv::sum(pv::sq(t)) == 32768.); // nothing of it is left
}

TEST_CASE("What is told of between chunks never falls", "[threads]") {
    const Threads one(1);
    const MemoryLimit limit(1 << 24);
    double last = 0;
    std::int64_t step = 0;
    bool rises = true;
    {
        const auto told = pv::on_progress(
            [&](const pv::Progress& now) {
                rises = rises && now.fraction <= 1 &&
                        (now.step > step || (now.step == step && now.fraction >= last));
                step = now.step;
                last = now.fraction;
            },
            kAlways);
        CHECK(pv::sum(pv::sq(pv::tensor(many_chunks(), {8, 4096}))) == 32768.);
    }
    CHECK(rises);
    CHECK(last == 1);
}

} // namespace chunk_progress_thread_test
