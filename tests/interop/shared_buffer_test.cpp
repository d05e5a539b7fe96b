#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/interop/shared_buffer.hpp>
#include <purview/purview.hpp>

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shared_buffer_test {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

std::string fresh_name(const char* what) {
    return "purview-test-" + std::string(what) + std::to_string(::getpid());
}

bool exists(const std::string& name) {
    const int descriptor = ::shm_open(('/' + name).c_str(), O_RDONLY, 0);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
}

/// Runs `work` in a process of its own and returns how that ended.
template <typename F>
int in_child(F work) {
    const ::pid_t child = ::fork();
    if (child == 0) {
        work();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

TEST_CASE("Two processes work on one tensor, which the last one removes") {
    const std::string name = fresh_name("two");
    {
        const auto t = pv::tensor(pv::shared_buffer<double>(name, 6), {2, 3});
        CHECK(pv::equals(t, pv::zeros({2, 3})));
        CHECK(in_child([&] {
                  const auto mine = pv::shared_buffer<double>(name, 6);
                  mine->write(4, 7.5);
              }) == 0);
        CHECK(t(1, 1) == 7.5);
        CHECK(exists(name));
        // Twice in one process: two addresses of one memory.
        const auto again = pv::tensor(pv::shared_buffer<double>(name, 6), {6});
        CHECK(again(4) == 7.5);
        CHECK(pv::may_overlap(t, again));
        CHECK_THROWS_WITH(pv::shared_buffer<double>(name, 7), ContainsSubstring("48 bytes"));
        CHECK_THROWS_AS(pv::shared_buffer<double>(name, 7), pv::ShapeError);
    }
    CHECK_FALSE(exists(name));
}

TEST_CASE("What a crashed process left behind is made anew") {
    const std::string name = fresh_name("crash");
    const int status = in_child([&] {
        const auto lost = pv::shared_buffer<int>(name, 1000);
        lost->write(0, 5);
        ::kill(::getpid(), SIGKILL);
    });
    CHECK(WIFSIGNALED(status));
    CHECK(exists(name));
    {
        const auto anew = pv::shared_buffer<int>(name, 3);
        CHECK(anew->read(0) == 0);
    }
    CHECK_FALSE(exists(name));
}

TEST_CASE("Names and sizes that cannot be are refused") {
    for (const std::string& name :
         {std::string(), std::string("a/b"), std::string(".."), std::string("/"),
          std::string("//a"), std::string(300, 'x'), std::string("a\0b", 3)})
        CHECK_THROWS_AS(pv::shared_buffer<int>(name, 1), pv::FormatError);
    const std::string name = fresh_name("refused");
    CHECK_THROWS_AS(pv::shared_buffer<int>(name, -1), pv::ShapeError);
    CHECK_THROWS_AS(pv::shared_buffer<double>(name, pv::index_t{1} << 61), pv::ShapeError);
    CHECK_THROWS_AS(pv::shared_buffer<char>(name, pv::index_t{1} << 50), pv::FormatError);
    CHECK_FALSE(exists(name));
    CHECK(pv::shared_buffer<int>(name, 0)->size() == 0);
}

TEST_CASE("A name may begin with a slash, as shm_open has it") {
    const std::string name = fresh_name("slash");
    const auto t = pv::tensor(pv::shared_buffer<int>('/' + name, 3));
    pv::tensor(pv::shared_buffer<int>(name, 3))(1) = 7;
    CHECK(t(1) == 7);
    CHECK_THROWS_WITH(pv::shared_buffer<int>("a/b", 3), ContainsSubstring("'/counts'"));
}

} // namespace shared_buffer_test
