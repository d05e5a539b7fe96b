// Tests what becomes of devices in the child of a fork, and at the end of a process.
#include "devices.hpp"

#include <memory/copies.hpp>

#include <cstdlib>
#include <functional>
#include <optional>

#include <sys/wait.h>
#include <unistd.h>

using namespace gpu_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What a child says, until it ends or 20 seconds have gone.
std::string said_in_child(const std::function<std::string()>& call) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::alarm(20);
        const std::string said = call();
        const auto written = ::write(ends[1], said.data(), said.size());
        ::_exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
    }
    ::close(ends[1]);
    std::string said;
    char text[1000];
    for (ssize_t n; (n = ::read(ends[0], text, sizeof text)) > 0;)
        said.append(text, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
    return said;
}

} // namespace

TEST_CASE("the child of a fork is told that it has no device") {
    on_every_device([](const gpu::Device& d) {
        auto buffer = new_buffer(d.state(), 5000);
        std::optional<gpu::Stream> stream(d);
        int x = 0;
        const std::function<void()> uses[] = {
            [&] { new_buffer(d.state(), 100); },
            [&] { copy_out(&x, *buffer, 0, 4); },
            [&] { copy_in(*buffer, 0, &x, 4); },
            [&] { gpu::Stream another(d); },
            [&] { stream->synchronize(); },
            [&] { gpu::synchronize(d); },
            [&] { gpu::trim(d); },
            [&] { d.state().driver->compile(twice_and_more(d)); },
        };
        for (const auto& use : uses) {
            const std::string said = said_in_child([&] { return device_error(use); });
            CHECK_THAT(said, ContainsSubstring(d.name()));
            CHECK_THAT(said, ContainsSubstring("fork"));
        }
        // What it has from its parent goes quietly.
        CHECK(said_in_child([&] {
                  buffer.reset();
                  stream.reset();
                  return std::string("done");
              }) == "done");
        CHECK_NOTHROW(copy_in(*buffer, 0, &x, 4));
    });
}

namespace {
/// Destroyed after everything that the library has, and, in turn, before.
struct AtTheEnd {
    detail::BufferPtr early;
    std::optional<gpu::Stream> stream;
} at_the_end;
} // namespace

TEST_CASE("static objects over device memory end quietly") {
    on_every_device([](const gpu::Device& d) {
        at_the_end.early = new_buffer(d.state(), 1 << 20);
        at_the_end.stream.emplace(d);
        static AtTheEnd later;
        later.early = new_buffer(d.state(), 1 << 20);
        later.stream.emplace(d);
    });
}
