#include "hostile/check.hpp"
#include "hostile/programs.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>
#include <support/temporary.hpp>

#include <cstddef>
#include <functional>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace pv = purview;

namespace hostile {
namespace {

constexpr int kEach = 400;

/// A few bytes changed, cut off, doubled or swapped.
std::string corrupted(std::string bytes, std::mt19937& random) {
    const auto below = [&](std::size_t n) { return random() % (n == 0 ? 1 : n); };
    for (auto times = 1 + below(4); times > 0 && !bytes.empty(); --times) {
        const std::size_t at = below(bytes.size());
        switch (below(5)) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8)); break;
        case 2: bytes.resize(at); break;
        case 3: bytes.insert(at, bytes.substr(below(bytes.size()), below(20))); break;
        default: std::swap(bytes[at], bytes[below(bytes.size())]);
        }
    }
    return bytes;
}

/// Whatever is read is read rightly, or refused by an error of the library's.
void feed(const std::string& good, const std::function<void(const std::string&)>& read) {
    std::mt19937 random(20260); // the same in every run
    read(good);
    int refused = 0;
    for (int i = 0; i < kEach; ++i) {
        try {
            read(corrupted(good, random));
        } catch (const pv::Error&) {
            ++refused;
        } catch (const std::bad_alloc&) {
            ++refused;
        }
    }
    check(refused > 0, "some of them are refused");
}

} // namespace

void corrupted_files() {
    const temporary::Folder folder;
    const std::string path = folder / "x";
    const auto reads = [&](auto f) {
        return [&path, f](const std::string& bytes) { f(temporary::write_file(path, bytes)); };
    };
    pv::save_npy(path, pv::reshape(pv::arange<double>(0., 24.), {2, 3, 4}));
    feed(temporary::content(path), reads([](const std::string& file) {
             static_cast<void>(pv::sum(pv::cast<double>(pv::load_npy(file))));
         }));
    const pv::CooMatrix<double> coo(20, 30, pv::tensor<pv::index_t>({1, 0, 19}),
                                    pv::tensor<pv::index_t>({2, 0, 29}), pv::tensor({5., 4., 1.}));
    for (const auto compression : {pv::Compression::stored, pv::Compression::deflated}) {
        pv::save_npz(path, pv::to_csr(coo), compression);
        feed(temporary::content(path),
             reads([](const std::string& file) { static_cast<void>(pv::load_npz(file)); }));
    }
    pv::save_mtx(path, coo);
    feed(temporary::content(path),
         reads([](const std::string& file) { static_cast<void>(pv::load_mtx(file)); }));

    const auto set = pv::IndexSet::interval(5, 300'000) | pv::IndexSet{1, pv::index_t{1} << 40};
    const std::vector<std::byte> bytes = set.serialize();
    feed(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
         [](const std::string& text) {
             const auto read = pv::IndexSet::deserialize(std::as_bytes(std::span(text)));
             check(read.empty() || read.select(read.size() - 1) == read.max(), "sets are whole");
         });
}

} // namespace hostile
