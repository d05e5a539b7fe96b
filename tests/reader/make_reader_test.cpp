#include <support/reader_laws.hpp>

#include <purview/reader/make_reader.hpp>

#include <atomic>
#include <thread>

namespace make_reader_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("A function of the index is a reader", "", READER_TYPES) {
    for (const index_t n : {0, 1, 30})
        check_reads<TestType>(*pv::make_reader(n, [](index_t i) { return sample<TestType>(i); }),
                              Values<TestType>::samples(n));
}

TEST_CASE("A function is called when it is read, and only then") {
    int calls = 0;
    const auto reader = pv::make_reader(
        1000, [&calls](index_t i) { return ++calls, i; }, pv::ThreadSafety::none);
    CHECK(calls == 0);
    CHECK(reader->read(7) == 7);
    CHECK(calls == 1);
    CHECK_FALSE(reader->is_thread_safe());
    CHECK_FALSE(reader->memory());
    CHECK(reader->kind() == pv::Kind::computed);
    CHECK_THROWS_WITH(pv::make_reader(-1, [](index_t i) { return i; }),
                      "make_reader: size -1 is negative");
}

TEST_CASE("A mutable function is taken to be unsafe for threads") {
    const auto reader = pv::make_reader(10, [last = index_t{0}](index_t i) mutable {
        last = i;
        return last * 2;
    });
    CHECK(reader->read(4) == 8);
    CHECK_FALSE(reader->is_thread_safe());
    CHECK(pv::make_reader(10, [](int i) { return i; })->is_thread_safe());
}

TEST_CASE("What a function throws comes through") {
    const auto reader = pv::make_reader(10, [](index_t i) {
        if (i == 5) throw std::runtime_error("five");
        return i;
    });
    std::vector<index_t> out(10);
    CHECK_THROWS_WITH(reader->read_block(0, 1, out), "five");
    CHECK(reader->read(4) == 4);
}

TEST_CASE("Several threads read a function at once") {
    const auto reader = pv::make_reader(1000, [](index_t i) { return std::to_string(i); });
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                for (index_t i = 0; i < reader->size(); ++i)
                    if (reader->read(i) != std::to_string(i)) ++wrong;
            });
    }
    CHECK(wrong == 0);
}

} // namespace make_reader_test
