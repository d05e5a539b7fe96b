#include <support/catch.hpp>
#include <support/sanitizers.hpp>
#include <support/tensors.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// Composing reads nothing and views allocate nothing. This file replaces the global operator new of
// its executable by one that counts, except under sanitizers, which bring an allocator of their own.

#if !UNDER_A_SANITIZER
namespace {

std::atomic<long> allocations{0};

void* counted_allocation(std::size_t size, std::size_t alignment = 16) {
    ++allocations;
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

} // namespace

[[gnu::noinline]] void* operator new(std::size_t size) { return counted_allocation(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return counted_allocation(size); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted_allocation(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new[](std::size_t size, std::align_val_t alignment) {
    return counted_allocation(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
#endif

namespace {

namespace pv = purview;
using Vector = std::vector<double>;

#if !UNDER_A_SANITIZER
/// How many allocations a function makes.
template <typename F>
long allocations_of(F f) {
    const long before = allocations.load();
    f();
    return allocations.load() - before;
}
#endif

/// Counts its reads.
class CountingReader final : public pv::Reader<double> {
public:
    explicit CountingReader(pv::index_t size) : size_(size) {}
    pv::index_t size() const override { return size_; }
    double read(pv::index_t i) const override {
        ++reads;
        return static_cast<double>(i);
    }
    mutable std::atomic<long> reads{0};

private:
    pv::index_t size_;
};

} // namespace

#if !UNDER_A_SANITIZER
TEST_CASE("views of rank up to 6 allocate nothing") {
    const auto t = pv::reshape(pv::arange(720.0), {2, 3, 4, 5, 6, 1});
    const pv::Tensor<double> r = t;
    const auto m = pv::reshape(pv::arange(12.0), {3, 4});
    CHECK(allocations_of([&] { auto v = t(1, pv::all, pv::range(0, 4, 2)); }) == 0);
    CHECK(allocations_of([&] { auto v = r(pv::ellipsis, -1, 0); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::transpose(t, {5, 4, 3, 2, 1, 0}); }) == 0);
    CHECK(allocations_of([&] { auto v = t | pv::transpose; }) == 0);
    CHECK(allocations_of([&] { auto v = t | pv::flip; }) == 0);
    CHECK(allocations_of([&] { auto v = t | pv::squeeze; }) == 0);
    CHECK(allocations_of([&] { auto v = pv::reshape(m, {2, 6}); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::reshape(m, {-1}); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::insert_axis(m, 1); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::diagonal(m); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::sliding_window(m, 1, 2); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::swap_axes(m, 0, 1); }) == 0);
    CHECK(allocations_of([&] { auto v = m(pv::all, pv::new_axis, 2); }) == 0);
    CHECK(allocations_of([&] { auto v = pv::broadcast(m(0, pv::all), {5, 4}); }) == 0);
    CHECK(allocations_of([&] { auto v = m | pv::select(pv::all, 1) | pv::reshape({3, 1}); }) == 0);
    CHECK(allocations_of([&] {
              auto copy = t;
              auto moved = std::move(copy);
          }) == 0);
}

TEST_CASE("element access allocates nothing") {
    const auto m = pv::reshape(pv::arange(12.0), {3, 4});
    const auto turned = pv::transpose(m);
    double sum = 0;
    m(0, 0) = 2.0; // the first element that a thread takes makes its table of elements
    CHECK(allocations_of([&] {
              for (pv::index_t i = 0; i < 3; ++i)
                  for (pv::index_t j = 0; j < 4; ++j) {
                      m(i, j) = 2.0;
                      sum += m(i, j) + turned(j, i);
                  }
          }) == 0);
    CHECK(sum == 48.0);
}

TEST_CASE("rotations, tiles and operations allocate a constant number of times") {
    const auto small = pv::zeros({3, 4});
    const auto large = pv::zeros({300, 400});
    const auto cost = [](const auto& t) {
        return allocations_of([&] {
            auto a = pv::rotate(t, {1, 2});
            auto b = pv::broadcast(t, {t.extent(0) * 2, t.extent(1) * 3});
            auto c = pv::sq(t - 1.0) + pv::transpose(pv::transpose(t));
        });
    };
    CHECK(cost(small) <= 10);
    CHECK(cost(small) == cost(large)); // nodes lie in blocks that the first ones left
}

TEST_CASE("nothing allocates per element") {
    const auto x = pv::zeros({2000, 50});
    const auto y = pv::zeros({2000, 50});
    CHECK(allocations_of([&] { pv::copy(pv::sq(x + y) * 2.0, y); }) < 100);
    CHECK(allocations_of([&] { pv::copy(pv::transpose(pv::transpose(x) + 1.0), y); }) < 100);
    CHECK(allocations_of([&] { (void)pv::sum(pv::rotate(x, {1, 1}) * y); }) < 1000);
    CHECK(allocations_of([&] { (void)pv::clone(x); }) < 100);
    CHECK(allocations_of([&] { (void)pv::sum(x, {0}); }) < 1000);
}
#endif

TEST_CASE("composing reads nothing") {
    const auto reader = std::make_shared<CountingReader>(10'000);
    const auto x = pv::tensor(std::shared_ptr<const CountingReader>(reader), {100, 100});
    const auto y = pv::where(x > 3.0, pv::sqrt(x), -x) | pv::transpose | pv::rotate({3, 5});
    const auto z = pv::broadcast(y, {200, 100})(pv::range(10, 20), pv::indexes({3, 3, 1})) + 1;
    const auto w = pv::emap([](double a) { return a + 1; }, pv::cast<float>(z) * 2.0F);
    const auto any = pv::AnyTensor(w) + pv::AnyTensor(z);
    (void)any.description();
    (void)any.is_read_only();
    (void)pv::may_overlap(w, x);
    (void)pv::slice(w, 1)[3];
    (void)(w | pv::sliding_window(0, 3) | pv::reshape({-1}));
    CHECK(reader->reads == 0);

    (void)w(3, 1);
    CHECK(reader->reads > 0);
    CHECK(reader->reads < 10);
}

TEST_CASE("a view of an expression computes only what is seen") {
    const auto reader = std::make_shared<CountingReader>(1'000'000);
    const auto x = pv::tensor(std::shared_ptr<const CountingReader>(reader), {1000, 1000});
    const auto y = pv::sq(x) + 1.0;
    CHECK(pv::to_vector(y(5, pv::range(0, 3))).size() == 3);
    CHECK(reader->reads == 3);
    reader->reads = 0;
    (void)pv::clone(y(pv::range(0, 1000, 100), 7));
    CHECK(reader->reads == 10);
}

TEST_CASE("lazy tensors see later writes") {
    const auto x = pv::arange(6.0);
    const auto y = (pv::reshape(x, {2, 3}) | pv::transpose) * 10.0;
    CHECK(pv::sum(y) == 150.0);
    x(5) = 100.0;
    CHECK(y(2, 1) == 1000.0);
    CHECK(pv::sum(y) == 1100.0);
    const auto iterator = y.begin();
    x(0) = 7.0;
    CHECK(*iterator == 70.0);
    const auto copy = x;
    copy(1) = -1.0;
    CHECK(x(1) == -1.0);
    const auto frozen = y | pv::clone;
    x(0) = 0.0;
    CHECK(frozen(0, 0) == 70.0);
}

TEST_CASE("nothing dangles") {
    const auto made = [] {
        const auto x = pv::arange(4.0);
        const auto z = pv::tensor(Vector{1, 2, 3, 4});
        double scale = 3.0;
        return (x * scale + pv::sq(z)) | pv::flip;
    };
    const auto y = made();
    CHECK(pv::to_vector(y) == Vector{25, 15, 7, 1});
    const auto view = [] { return pv::arange(9.0) | pv::reshape({3, 3}) | pv::diagonal; }();
    CHECK(pv::to_vector(view) == Vector{0, 4, 8});
    const auto windows = [] { return pv::slice(pv::arange(6) | pv::reshape({2, 3}), 1); }();
    CHECK(pv::sum(windows[1]) == 12);
    auto element = pv::arange(3.0)(2);
    CHECK(element == 2.0);
    element = 5.0;
    CHECK(element == 5.0);
    std::optional<pv::Tensor<std::string>> greeting;
    {
        const std::string text(100, 'x');
        const auto names = pv::tensor({"a", "b"});
        greeting = names + text.c_str();
    }
    CHECK((*greeting)(1) == "b" + std::string(100, 'x'));
}

TEST_CASE("an owner is destroyed once, after the last reader of its memory") {
    int destroyed = 0;
    struct Owner {
        int* destroyed;
        Vector memory{1, 2, 3};
        explicit Owner(int* d) : destroyed(d) {}
        Owner(const Owner&) = delete;
        ~Owner() { ++*destroyed; }
    };
    auto owner = std::make_shared<Owner>(&destroyed);
    double* const data = owner->memory.data();
    std::optional<pv::Tensor<double>> last;
    {
        const auto x = pv::wrap(data, {3}, std::move(owner));
        last = pv::flip(x)(pv::range(0, 2)) + 1.0;
        CHECK(destroyed == 0);
    }
    CHECK(destroyed == 0);
    CHECK(pv::to_vector(*last) == Vector{4, 3});
    auto iterator = last->begin();
    auto reader = pv::as_reader(*last);
    last.reset();
    CHECK(destroyed == 0);
    CHECK(*iterator == 4.0);
    iterator = {};
    CHECK(destroyed == 0);
    CHECK(reader->read(1) == 3.0);
    reader.reset();
    CHECK(destroyed == 1);
}

TEST_CASE("a custom deleter releases, and failed wraps leave the owner to do so") {
    int released = 0;
    Vector memory(4);
    const auto handle = [&] {
        return std::shared_ptr<void>(memory.data(), [&](void*) { ++released; });
    };
    { const auto x = pv::wrap(memory.data(), {4}, handle()); }
    CHECK(released == 1);
    CHECK_THROWS_AS(pv::wrap(std::span<double>(memory), {5}, handle()), pv::ShapeError);
    CHECK(released == 2);
    CHECK_THROWS_AS(pv::wrap(memory.data(), {2, 2}, {1}, handle()), pv::ShapeError);
    CHECK(released == 3);
    CHECK_THROWS_AS(pv::wrap(memory.data(), {4}, std::shared_ptr<void>()), pv::Error);
    CHECK_THROWS_AS(pv::wrap(memory.data(), {4}, nullptr), pv::Error);
}

TEST_CASE("exceptions of readers and functions reach the caller and leave everything usable") {
    auto fail = std::make_shared<bool>(true);
    const auto x = pv::compute_tensor({5000}, [fail](pv::index_t i) {
        if (*fail && i == 4321) throw std::runtime_error("disk on fire");
        return static_cast<double>(i);
    });
    const auto y = pv::emap(
        [fail](double a) {
            if (*fail && a > 4000) throw std::out_of_range("too hot");
            return a;
        },
        pv::arange(5000.0));
    const auto out = pv::zeros({5000});
    for (int i = 0; i < 3; ++i) {
        CHECK_THROWS_AS(pv::to_vector(x + 1.0), std::runtime_error);
        CHECK_THROWS_WITH(pv::sum(x), "disk on fire");
        CHECK_THROWS_AS(pv::copy(x, out), std::runtime_error);
        CHECK_THROWS_AS(pv::clone(y), std::out_of_range);
        CHECK_THROWS_AS(pv::sum(y, {0}), std::out_of_range);
        CHECK_THROWS_AS(y(4500), std::out_of_range);
        CHECK_THROWS_AS((x | pv::flip)(5000 - 1 - 4321), std::runtime_error);
        CHECK(y(3) == 3.0);
    }
    *fail = false;
    CHECK(pv::sum(x) == pv::sum(y));
    pv::copy(x, out);
    CHECK(out(4999) == 4999.0);
}
