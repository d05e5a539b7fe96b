#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <cmath>
#include <thread>

namespace buffer_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("An owned buffer holds values of its own", "", READER_TYPES) {
    for (const index_t n : {0, 1, 2, 7, 300}) {
        const pv::BufferPtr<TestType> buffer = pv::allocate_buffer<TestType>(n);
        check_reads<TestType>(*buffer, Values<TestType>(n));
        check_writes(*buffer);
        CHECK(buffer->kind() == pv::Kind::dense);
        CHECK(buffer->is_thread_safe());
        CHECK(reinterpret_cast<std::uintptr_t>(buffer->memory().data) % 64 == 0);
        CHECK(buffer->storage().bytes == n * static_cast<index_t>(sizeof(TestType)));

        const pv::BufferPtr<TestType> fresh = pv::allocate_uninitialized_buffer<TestType>(n);
        fresh->write_block(0, 1, Values<TestType>::samples(n).span());
        check_reads<TestType>(*fresh, Values<TestType>::samples(n));
        CHECK(reinterpret_cast<std::uintptr_t>(fresh->memory().data) % 64 == 0);
        if (n > 0) CHECK(fresh->storage() != buffer->storage());
    }
}

TEST_CASE("Small buffers reuse memory, of any thread, without a trace of what it held") {
    const auto used = [](index_t n) {
        std::vector<pv::BufferPtr<double>> buffers;
        for (int k = 0; k < 100; ++k) {
            buffers.push_back(pv::allocate_uninitialized_buffer<double>(n));
            for (index_t i = 0; i < n; ++i)
                buffers.back()->write(i, 100.0 * k + static_cast<double>(i));
        }
        return buffers;
    };
    for (const index_t n : {0, 1, 3, 16, 64, 67, 68, 300}) {
        used(n).clear();
        std::vector<pv::BufferPtr<double>> elsewhere;
        std::thread([&] { elsewhere = used(n); }).join();
        elsewhere.clear();
        std::thread([&, given = used(n)]() mutable { given.clear(); }).join();
        const auto values = used(n);
        for (std::size_t k = 0; k < values.size(); ++k) {
            const auto zeros = pv::allocate_buffer<double>(n);
            CHECK(reinterpret_cast<std::uintptr_t>(zeros->memory().data) % 64 == 0);
            CHECK(std::ranges::all_of(*zeros, [](double x) { return x == 0; }));
            for (index_t i = 0; i < n; ++i)
                REQUIRE(values[k]->read(i) ==
                        100.0 * static_cast<double>(k) + static_cast<double>(i));
        }
    }
}

TEMPLATE_TEST_CASE("Foreign memory is read and written with any stride", "", READER_TYPES) {
    constexpr auto kSize = static_cast<index_t>(sizeof(TestType));
    const index_t n = 9;
    auto memory = std::make_shared<Values<TestType>>(Values<TestType>::samples(4 * n));
    for (const index_t step : {1, 2, 4, -1, -3}) {
        INFO("stride of " << step << " elements");
        TestType* const first = memory->data() + (step < 0 ? -step * (n - 1) : 0);
        Values<TestType> expected(n);
        for (index_t i = 0; i < n; ++i) expected[i] = first[i * step];
        const pv::ConstBuffer<TestType> reader(first, n, step * kSize, memory);
        check_reads<TestType>(reader, expected);
        CHECK(reader.memory().stride_bytes == step * kSize);
        CHECK(reader.storage().address == std::min(first, first + (n - 1) * step));
        CHECK(reader.storage().bytes == (std::abs(step) * (n - 1) + 1) * kSize);

        pv::Buffer<TestType> buffer(first, n, step * kSize, memory);
        check_writes(buffer);
    }
    Values<TestType> constant(n);
    for (TestType& value : constant) value = (*memory)[0];
    check_reads<TestType>(pv::ConstBuffer<TestType>(memory->data(), n, 0, memory), constant);
}

TEMPLATE_TEST_CASE("Misaligned memory is read and written", "", std::int16_t, std::int64_t, float,
                   double) {
    constexpr auto kSize = static_cast<index_t>(sizeof(TestType));
    const index_t n = 11;
    for (const index_t stride : {kSize, kSize + 1, 2 * kSize + 3}) {
        std::vector<std::byte> memory(static_cast<std::size_t>(1 + n * stride));
        void* const first = memory.data() + 1;
        pv::Buffer<TestType> buffer(static_cast<TestType*>(first), n, stride, pv::borrowed(first));
        buffer.write_block(0, 1, Values<TestType>::samples(n).span());
        check_reads<TestType>(buffer, Values<TestType>::samples(n));
        check_writes(buffer);
    }
}

TEST_CASE("Foreign bools are any byte but 0") {
    std::vector<unsigned char> bytes{0, 1, 2, 255, 0, 128};
    void* const data = bytes.data();
    pv::Buffer<bool> buffer(static_cast<bool*>(data), 6, 1, pv::borrowed(data));
    Values<bool> expected(6);
    for (index_t i = 0; i < 6; ++i) expected[i] = bytes[static_cast<std::size_t>(i)] != 0;
    check_reads<bool>(buffer, expected);
    buffer.write(0, true);
    buffer.write(3, false);
    CHECK(bytes == std::vector<unsigned char>{1, 1, 2, 0, 0, 128});
    for (bool value : std::as_const(buffer)) CHECK((value == true || value == false));
}

TEST_CASE("Overlapping elements are written in order") {
    std::vector<std::int32_t> memory(4);
    pv::Buffer<std::int32_t> same(memory.data(), 5, 0, pv::borrowed(memory.data()));
    const std::vector<std::int32_t> values{1, 2, 3, 4, 5};
    same.write_block(0, 1, values);
    CHECK(memory[0] == 5);

    // A block may also lie in the buffer itself.
    pv::BufferPtr<int> buffer = pv::buffer_from_vector(std::vector<int>{1, 2, 3, 4, 5});
    const int* const data = static_cast<const int*>(buffer->memory().data);
    buffer->write_block(1, 1, {data, 4});
    check_reads<int>(*buffer, [] {
        Values<int> expected(5);
        for (index_t i = 0; i < 5; ++i) expected[i] = i == 0 ? 1 : static_cast<int>(i);
        return expected;
    }());
}

TEMPLATE_TEST_CASE("A vector is taken over", "", READER_TYPES) {
    const Values<TestType> samples = Values<TestType>::samples(20);
    std::vector<TestType> vector(samples.begin(), samples.end());
    if constexpr (std::same_as<TestType, bool>) {
        const auto buffer = pv::buffer_from_vector(std::move(vector));
        check_reads<bool>(*buffer, samples);
        check_writes(*buffer);
    } else {
        const TestType* const data = vector.data();
        const auto buffer = pv::buffer_from_vector(std::move(vector));
        CHECK(buffer->memory().data == data);
        check_reads<TestType>(*buffer, samples);
        check_writes(*buffer);
    }
    check_reads<TestType>(*pv::buffer_from_vector(std::vector<TestType>{}), Values<TestType>());
}

TEST_CASE("An owner goes once, with the last reader") {
    int released = 0;
    std::vector<double> memory(8, 1.0);
    {
        const pv::Owner owner(memory.data(), [&](const void*) { ++released; });
        auto buffer = std::make_shared<pv::Buffer<double>>(memory.data(), 8, 8, owner);
        auto other = std::make_shared<pv::Buffer<double>>(memory.data(), 8, 8, buffer->owner());
        buffer.reset();
        CHECK(other->owner() == owner);
        CHECK(released == 0);
    }
    CHECK(released == 1);

    // Also when the buffer cannot be made.
    CHECK_THROWS_AS(pv::Buffer<double>(memory.data(), -1, 8,
                                       pv::Owner(memory.data(), [&](const void*) { ++released; })),
                    pv::ShapeError);
    CHECK(released == 2);
}

/// Counts what is alive, and throws when there are too many.
struct Counted {
    static inline int alive = 0;
    static inline int limit = 1000;
    Counted() {
        if (alive >= limit) throw std::runtime_error("too many");
        ++alive;
    }
    Counted(const Counted&) : Counted() {}
    Counted& operator=(const Counted&) = default;
    ~Counted() { --alive; }
    friend bool operator==(const Counted&, const Counted&) = default;
};

struct alignas(256) Wide {
    double value = 3;
    friend bool operator==(const Wide&, const Wide&) = default;
};

using buffer_test::Counted;
using buffer_test::Wide;

TEST_CASE("Elements of class types are constructed and destroyed") {
    {
        const auto buffer = pv::allocate_buffer<Counted>(10);
        const auto other = pv::allocate_uninitialized_buffer<Counted>(5);
        CHECK(Counted::alive == 15);
    }
    CHECK(Counted::alive == 0);
    Counted::limit = 6;
    CHECK_THROWS_WITH(pv::allocate_buffer<Counted>(10), "too many");
    CHECK_THROWS_WITH(pv::allocate_uninitialized_buffer<Counted>(10), "too many");
    Counted::limit = 1000;
    CHECK(Counted::alive == 0);

    const auto wide = pv::allocate_buffer<Wide>(3);
    CHECK(reinterpret_cast<std::uintptr_t>(wide->memory().data) % 256 == 0);
    CHECK(wide->read(2).value == 3);
}

TEST_CASE("Sizes and layouts that cannot be are refused") {
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    CHECK_THROWS_WITH(pv::allocate_buffer<int>(-3), "allocate_buffer: size -3 is negative");
    CHECK_THROWS_AS(pv::allocate_buffer<int>(-3), pv::ShapeError);
    CHECK_THROWS_AS(pv::allocate_uninitialized_buffer<int>(-3), pv::ShapeError);
    CHECK_THROWS_AS(pv::allocate_buffer<double>(kMax / 4), pv::ShapeError);
    CHECK_THROWS_AS(pv::allocate_buffer<std::string>(kMax), pv::ShapeError);
    CHECK_THROWS_AS(pv::checked_bytes(kMax / 4, 8, "x"), pv::ShapeError);

    double value = 0;
    CHECK_THROWS_WITH(pv::ConstBuffer<double>(&value, -1, 8, pv::borrowed(&value)),
                      "ConstBuffer: size -1 is negative");
    CHECK_THROWS_WITH(pv::Buffer<double>(nullptr, 2, 8, pv::Owner()),
                      "Buffer: 2 elements at a null pointer");
    CHECK_THROWS_AS(pv::Buffer<double>(&value, kMax, 8, pv::borrowed(&value)), pv::ShapeError);
    CHECK_THROWS_AS(pv::Buffer<double>(&value, 3, kMax / 2, pv::borrowed(&value)), pv::ShapeError);
    CHECK_THROWS_AS(pv::Buffer<double>(&value, 3, -kMax / 2, pv::borrowed(&value)), pv::ShapeError);
    CHECK_THROWS_AS(
        pv::Buffer<double>(&value, 2, std::numeric_limits<index_t>::lowest(), pv::borrowed(&value)),
        pv::ShapeError);
    CHECK(pv::Buffer<double>(nullptr, 0, 8, pv::Owner()).memory());
    CHECK_THROWS_AS(pv::Buffer<double>(&value, 1, 8, pv::Owner()), pv::Error);

    // Elements that cannot be copied as bytes need their alignment, and room.
    std::vector<std::string> strings(4);
    CHECK_THROWS_AS(pv::Buffer<std::string>(strings.data(), 2, sizeof(std::string) + 1,
                                            pv::borrowed(strings.data())),
                    pv::ShapeError);
    CHECK_THROWS_AS(pv::Buffer<std::string>(strings.data(), 2, 8, pv::borrowed(strings.data())),
                    pv::ShapeError);
    CHECK(pv::Buffer<std::string>(strings.data(), 2, 0, pv::borrowed(strings.data())).size() == 2);
}

TEST_CASE("The storage a buffer is part of can be named") {
    std::vector<int> memory(10);
    const pv::StorageId whole{memory.data(), 40};
    const pv::ConstBuffer<int> a(memory.data() + 2, 3, 4, pv::borrowed(memory.data()), whole);
    const pv::Buffer<int> b(memory.data() + 7, 3, -4, pv::borrowed(memory.data()), whole);
    CHECK(a.storage() == b.storage());
}

TEST_CASE("Several threads read a buffer at once") {
    const auto buffer = pv::buffer_from_vector([] {
        std::vector<index_t> values(10000);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<index_t>(i);
        return values;
    }());
    std::vector<index_t> sums(4);
    {
        std::vector<std::jthread> threads;
        for (index_t& sum : sums)
            threads.emplace_back([&sum, buffer] {
                std::vector<index_t> block(100);
                for (index_t begin = 0; begin < buffer->size(); begin += 100) {
                    buffer->read_block(begin, 1, block);
                    for (const index_t value : block) sum += value;
                }
            });
    }
    for (const index_t sum : sums) CHECK(sum == 9999 * 10000 / 2);
}

} // namespace buffer_test
