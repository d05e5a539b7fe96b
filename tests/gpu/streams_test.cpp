// Tests purview/gpu/stream.hpp.
#include "devices.hpp"

#include <memory/copies.hpp>

#include <optional>
#include <vector>

using namespace gpu_tests;
using detail::copy_out;
using detail::current_stream;
using detail::new_buffer;

namespace {

/// `times` launches one after the other on the current stream, each of which doubles all numbers and adds one.
void doubled(const gpu::Device& d, const detail::Kernel& kernel, detail::Buffer& b, int times) {
    for (int i = 0; i < times; ++i) {
        detail::DeviceTurn turn(d.state());
        turn.use(b);
        const std::uint64_t n = b.bytes() / 4;
        const detail::Argument arguments[] = {
            {b.handle(), 8, true}, {b.handle(), 8, true}, {1, 4}, {n, 8}};
        d.state().driver->launch(turn.stream(), kernel, (n + 63) / 64, 64, arguments);
    }
}

void cleared(const gpu::Device& d, detail::Buffer& b) {
    detail::DeviceTurn turn(d.state());
    turn.use(b);
    const std::byte zero{};
    d.state().driver->fill(turn.stream(), b.handle(), 0, std::span(&zero, 1), b.bytes());
}

} // namespace

TEST_CASE("OnStream: the innermost one of a device is that thread's stream") {
    on_every_device([](const gpu::Device& d) {
        const detail::StreamState* own = current_stream(d.state()).get();
        {
            const gpu::Stream a(d), b(d);
            CHECK(a.device() == d);
            CHECK(a.handle() != b.handle());
            const gpu::OnStream on_a(a);
            CHECK(current_stream(d.state())->handle == a.handle());
            {
                const gpu::OnStream on_b(b);
                CHECK(current_stream(d.state())->handle == b.handle());
            }
            CHECK(current_stream(d.state())->handle == a.handle());
            a.synchronize();
        }
        CHECK(current_stream(d.state()).get() == own);
    });
}

TEST_CASE("memory that one stream uses is waited for by another") {
    on_every_device([](const gpu::Device& d) {
        const auto kernel =
            d.state().driver->load(d.state().driver->compile(twice_and_more(d)), "twice");
        const gpu::Stream a(d), b(d);
        for (int round = 0; round < 20; ++round) {
            const auto x = new_buffer(d.state(), 400'000);
            cleared(d, *x);
            std::vector<int> found(100'000);
            {
                const gpu::OnStream on(a);
                doubled(d, *kernel, *x, 5);
            }
            {
                const gpu::OnStream on(b);
                doubled(d, *kernel, *x, 5);
            }
            doubled(d, *kernel, *x, 1);
            const gpu::OnStream on(round % 2 ? a : b);
            copy_out(found.data(), *x, 0, 400'000);
            CHECK(found == std::vector<int>(100'000, 2047));
        }
    });
}

TEST_CASE("freed memory goes back to the stream of its last use") {
    on_every_device([](const gpu::Device& d) {
        gpu::trim(d);
        const gpu::Stream a(d);
        auto x = new_buffer(d.state(), 4096);
        const detail::Handle handle = x->handle();
        {
            const gpu::OnStream on(a);
            cleared(d, *x);
        }
        x.reset();
        auto y = new_buffer(d.state(), 4096); // the device's own stream
        CHECK(y->handle() != handle);
        const gpu::OnStream on(a);
        auto z = new_buffer(d.state(), 4096);
        CHECK(z->handle() == handle);
    });
}

TEST_CASE("what a stream has used is the device's own when it has ended") {
    on_every_device([](const gpu::Device& d) {
        gpu::trim(d);
        detail::BufferPtr before, after;
        detail::Handle freed = 0;
        {
            std::optional<gpu::Stream> a(d);
            const gpu::Stream same = *a;
            a.reset(); // one copy is left
            const gpu::OnStream on(same);
            after = new_buffer(d.state(), 4096);
            cleared(d, *after);
            before = new_buffer(d.state(), 8192);
            freed = before->handle();
            before.reset();
        }
        auto x = new_buffer(d.state(), 8192);
        CHECK(x->handle() == freed);
        const detail::Handle handle = after->handle();
        cleared(d, *after);
        after.reset();
        auto y = new_buffer(d.state(), 4096);
        CHECK(y->handle() == handle);
        gpu::synchronize(d);
    });
}

TEST_CASE("a borrowed stream stays its owner's") {
    on_every_device([](const gpu::Device& d) {
        const gpu::Stream theirs(d);
        auto x = new_buffer(d.state(), 4096);
        {
            const gpu::Stream borrowed(d, theirs.handle());
            CHECK(borrowed.handle() == theirs.handle());
            const gpu::OnStream on(borrowed);
            cleared(d, *x);
        }
        theirs.synchronize();
        std::vector<int> found(1024, 1);
        copy_out(found.data(), *x, 0, 4096);
        CHECK(found == std::vector<int>(1024));
        if (d.backend() == "opencl") CHECK_THROWS_AS(gpu::Stream(d, nullptr), pv::DeviceError);
    });
}
