#include <purview/sparse.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/literal.hpp>

#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <csignal>
#include <filesystem>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace npz_files_test {

namespace pv = purview;
namespace fs = std::filesystem;

namespace {

pv::CooMatrix<double> some() {
    return {20, 30, pv::tensor<pv::index_t>({1, 0, 19}), pv::tensor<pv::index_t>({2, 0, 29}),
            pv::tensor({5., 4., 1.})};
}

} // namespace

TEST_CASE("save_npz follows symbolic links and keeps permissions") {
    const temporary::Folder folder;
    const std::string target = folder / "target.npz";
    const std::string link = folder / "link.npz";
    fs::create_symlink("target.npz", link);
    pv::save_npz(link, some()); // what the link leads to need not exist
    REQUIRE(::chmod(target.c_str(), 0640) == 0);
    pv::save_npz(link, some(), pv::Compression::deflated);
    CHECK(fs::is_symlink(link));
    CHECK(fs::is_regular_file(fs::symlink_status(target)));
    CHECK(pv::load_npz_coo(target).stored() == 3);
    struct stat status {};
    REQUIRE(::stat(target.c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0640);
    CHECK(folder.file_count() == 2);
}

TEST_CASE("save_npz takes the longest name there is") {
    const temporary::Folder folder;
    const std::string path = folder / (std::string(251, 'x') + ".npz");
    pv::save_npz(path, some());
    CHECK(pv::load_npz_coo(path).stored() == 3);
    CHECK_THROWS_AS(pv::save_npz(folder / std::string(256, 'x'), some()), pv::FormatError);
    CHECK(folder.file_count() == 1);
}

TEST_CASE("save_npz leaves what may not be written, or cannot be written whole") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npz";
    pv::save_npz(path, some());
    const std::string before = temporary::content(path);
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    REQUIRE(::chmod((folder / ".").c_str(), 0777) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        int result = 0;
        // The superuser may write everything.
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(9);
        try {
            pv::save_npz(path, some());
            result = 1;
        } catch (const pv::FormatError& error) {
            result = std::string(error.what()).find(path) == std::string::npos ? 2 : 0;
        }
        ::_exit(result);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(temporary::content(path) == before);
    CHECK(folder.file_count() == 1);
    CHECK_THROWS_AS(pv::save_npz(folder / ".", some()), pv::FormatError);
    CHECK_THROWS_AS(pv::save_npz("/dev/null", some()), pv::FormatError);
}

TEST_CASE("save_npz says why it cannot write") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npz";
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const rlimit most{100, 100};
        ::signal(SIGXFSZ, SIG_IGN);
        if (::setrlimit(RLIMIT_FSIZE, &most) != 0) ::_exit(9);
        int result = 1;
        try {
            pv::save_npz(path, some());
        } catch (const pv::FormatError& error) {
            result = std::string(error.what()).find("File too large") == std::string::npos ? 2 : 0;
        }
        ::_exit(result);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(folder.file_count() == 0);
}

} // namespace npz_files_test
