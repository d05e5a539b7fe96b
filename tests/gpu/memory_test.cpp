// Tests purview/gpu/memory.hpp, and the pool and buffers behind it.
#include "devices.hpp"

#include <memory/buffer.hpp>

#include <set>
#include <vector>

using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;
using detail::new_buffer;
using detail::Pool;

TEST_CASE("size classes waste an eighth at most") {
    std::size_t before = 0;
    for (std::size_t n = 0; n < (std::size_t{1} << 36); n += 1 + n / 7) {
        const std::size_t size = Pool::size_class(n);
        REQUIRE(size >= n);
        REQUIRE(size >= before);
        REQUIRE(Pool::size_class(size) == size);
        REQUIRE((n <= 4096 ? size - n < 512 + (n == 0) : size - n <= n / 8));
        REQUIRE(size % 512 == 0);
        before = size;
    }
}

TEST_CASE("memory that is freed is used again") {
    on_every_device([](const gpu::Device& d) {
        gpu::trim(d);
        const gpu::Memory before = gpu::memory(d);
        CHECK(before.kept == 0);
        auto a = new_buffer(d.state(), 1'000'000);
        CHECK(a->bytes() == 1'000'000);
        const detail::Handle handle = a->handle();
        const std::size_t size = Pool::size_class(1'000'000);
        CHECK(gpu::memory(d).used == before.used + size);
        CHECK(gpu::memory(d).peak >= before.used + size);
        a.reset();
        CHECK(gpu::memory(d).used == before.used);
        CHECK(gpu::memory(d).kept == size);
        auto b = new_buffer(d.state(), 950'000); // a little smaller
        CHECK(b->handle() == handle);
        CHECK(gpu::memory(d).kept == 0);
        auto c = new_buffer(d.state(), 1'000'000);
        CHECK(c->handle() != handle);
        b.reset();
        auto small = new_buffer(d.state(), 100'000); // not out of that
        CHECK(small->handle() != handle);
        gpu::trim(d);
        CHECK(gpu::memory(d).kept == 0);
        auto none = new_buffer(d.state(), 0);
        CHECK(none->handle() != 0);
    });
}

TEST_CASE("what is kept is bounded, and what was freed first goes first") {
    on_every_device([](const gpu::Device& d) {
        gpu::trim(d);
        d.state().pool.set_most_kept(5000);
        auto a = new_buffer(d.state(), 2048), b = new_buffer(d.state(), 2048),
             c = new_buffer(d.state(), 2048);
        const std::set<detail::Handle> later{b->handle(), c->handle()};
        a.reset(), b.reset(), c.reset();
        CHECK(gpu::memory(d).kept == 4096);
        a = new_buffer(d.state(), 2048), b = new_buffer(d.state(), 2048);
        CHECK(gpu::memory(d).kept == 0);
        CHECK(later == std::set{a->handle(), b->handle()});
        d.state().pool.set_most_kept(d.memory_bytes() / 4);
    });
}

TEST_CASE("set_memory_limit: more is refused, and everything is as before") {
    on_every_device([](const gpu::Device& d) {
        gpu::trim(d);
        const std::size_t used = gpu::memory(d).used;
        gpu::set_memory_limit(d, used + 100'000);
        CHECK(gpu::memory(d).limit == used + 100'000);
        auto a = new_buffer(d.state(), 60'000);
        const std::string said = device_error([&] { new_buffer(d.state(), 50'000); });
        for (const std::string& part :
             {std::string("50000"), std::to_string(gpu::memory(d).used),
              std::to_string(used + 100'000), d.name(), std::string("kept")})
            CHECK_THAT(said, ContainsSubstring(part));
        CHECK(gpu::memory(d).used == used + Pool::size_class(60'000));
        a.reset(); // is kept, and gives way
        CHECK(gpu::memory(d).kept == Pool::size_class(60'000));
        auto b = new_buffer(d.state(), 90'000);
        CHECK(gpu::memory(d).kept == 0);
        CHECK_THROWS_AS(new_buffer(d.state(), 20'000), pv::DeviceError);
        CHECK_THROWS_AS(new_buffer(d.state(), static_cast<std::size_t>(-1)), pv::DeviceError);
        gpu::set_memory_limit(d, 0);
        CHECK_NOTHROW(new_buffer(d.state(), 1 << 20));
        gpu::set_memory_limit(d, 1); // below what is used already: nothing is taken away
        CHECK(gpu::memory(d).kept == 0);
        CHECK_THROWS_AS(new_buffer(d.state(), 1), pv::DeviceError);
        b.reset();
        CHECK(gpu::memory(d).kept == 0);
        gpu::set_memory_limit(d, 0);
    });
}

TEST_CASE("more memory than the device has is refused") {
    on_every_device([](const gpu::Device& d) {
        auto kept = new_buffer(d.state(), 3'000'000);
        kept.reset();
        CHECK(gpu::memory(d).kept != 0);
        const gpu::Memory before = gpu::memory(d);
        for (const std::size_t bytes : {std::size_t{1} << 62, static_cast<std::size_t>(-1),
                                        static_cast<std::size_t>(-1) / 2}) {
            CHECK_THAT(device_error([&] { new_buffer(d.state(), bytes); }),
                       ContainsSubstring(std::to_string(bytes)));
            CHECK(gpu::memory(d).used == before.used);
        }
        CHECK(gpu::memory(d).kept == 0); // it was given back before the second try
        CHECK_NOTHROW(new_buffer(d.state(), 1 << 20));
    });
}

TEST_CASE("arrays whose bytes no integer counts are refused, as on the host") {
    on_every_device([](const gpu::Device& d) {
        const gpu::Memory before = gpu::memory(d);
        const auto x = gpu::to_device(pv::tensor({1.5}), d);
        // 8 times these is 0, 32, and just too much, in 64 bits.
        for (const pv::index_t size :
             {pv::index_t{1} << 61, (pv::index_t{1} << 61) + 4, pv::index_t{1} << 60}) {
            const auto refused = [&](const auto& make) {
                CHECK_THROWS_AS(make(), pv::ShapeError);
                CHECK(gpu::memory(d).used == before.used + Pool::size_class(8));
            };
            refused([&] {
                return pv::results_like("empty", x.operand(), pv::float64, pv::ShapeSpan(&size, 1));
            });
            refused([&] { return pv::clone(pv::broadcast(x, {size}) + 1.); });
            refused([&] { return pv::sum(pv::broadcast(x, {size, 1}), 1); });
            refused([&] { return gpu::to_device(pv::full({size}, 2.5), d); });
        }
    });
}

TEST_CASE("memory of others is given back once, when all that uses it is done") {
    on_every_device([](const gpu::Device& d) {
        auto lent = new_buffer(d.state(), 4096);
        int given_back = 0;
        {
            const std::shared_ptr<void> owner(&given_back, [&](void*) { ++given_back; });
            auto own = std::make_shared<detail::Buffer>(d.state(), lent->handle(), 4096,
                                                        d.state().own_stream(), owner);
            auto second = own;
            own.reset();
            CHECK(given_back == 0);
        }
        gpu::synchronize(d);
        CHECK(given_back == 1);
    });
}

TEST_CASE("memory of others is not given back while something is locked") {
    on_every_device([](const gpu::Device& d) {
        auto lent = new_buffer(d.state(), 4096);
        int given_back = 0;
        std::shared_ptr<void> owner(&given_back, [&](void*) { ++given_back; });
        auto own = std::make_shared<detail::Buffer>(d.state(), lent->handle(), 4096,
                                                    d.state().own_stream(), std::move(owner));
        {
            const detail::OwnersStay locked;
            own.reset();
            gpu::synchronize(d);
            CHECK(given_back == 0);
        }
        gpu::synchronize(d);
        CHECK(given_back == 1);
    });
}

TEST_CASE("copies of index lists are given back where memory is short") {
    on_every_computing_device([](const gpu::Device& d) {
        gpu::synchronize(d);
        gpu::trim(d);
        const std::size_t before = gpu::memory(d).used;
        const auto x = gpu::to_device(pv::arange(100000.), d);
        const auto gather = [&](pv::index_t first) {
            std::vector<pv::index_t> list(100000);
            for (std::size_t i = 0; i < list.size(); ++i)
                list[i] = (static_cast<pv::index_t>(i) * 7 + first) % 100000;
            return pv::clone(x(list));
        };
        gather(0);
        const std::size_t each = (gpu::memory(d).used - before) / 2;
        CHECK(each >= 800000);
        gpu::set_memory_limit(d, before + 6 * each);
        for (pv::index_t i = 0; i < 10; ++i) gather(i);
        gpu::set_memory_limit(d, 0);
        gpu::trim(d);
        CHECK(gpu::memory(d).used <= before + each);
    });
}
