#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace reader_depth_test {

namespace pv = purview;
using pv::index_t;

constexpr int kMany = 3000;

/// Wraps until that is refused; returns how often it was not.
template <typename Reader, typename Wrap>
int wrapped(Reader reader, Wrap wrap) {
    for (int depth = 0; depth < kMany; ++depth) {
        try {
            reader = wrap(reader);
        } catch (const pv::ShapeError& error) {
            CHECK(std::string(error.what()).find("would read through each other") !=
                  std::string::npos);
            CHECK(reader->depth() == pv::kMaxReaderDepth);
            // What was made is whole.
            CHECK(reader->read(2) == 3);
            std::vector<std::int64_t> all(3);
            reader->read_into(0, 1, 3, all.data());
            CHECK(all == std::vector<std::int64_t>{1, 2, 3});
            return depth;
        }
    }
    return kMany;
}

pv::ReaderPtr<std::int64_t> source() { return pv::as_reader(std::vector<std::int64_t>{1, 2, 3}); }

TEST_CASE("Readers that read through each other are refused before the stack ends") {
    using Pointer = pv::ReaderPtr<std::int64_t>;
    // A cast and one back.
    CHECK(wrapped(source(), [](const Pointer& reader) -> Pointer {
              return pv::elemwise_cast<std::int64_t>(pv::elemwise_cast<std::int32_t>(reader));
          }) == pv::kMaxReaderDepth / 2);
    CHECK(wrapped(source(), [](const Pointer& reader) -> Pointer {
              return pv::indexed_buffer({0, 1, 2}, reader);
          }) == pv::kMaxReaderDepth);
    CHECK(wrapped(source(), [](const Pointer& reader) -> Pointer {
              return pv::concat_buffers(std::vector<Pointer>{reader});
          }) == pv::kMaxReaderDepth);
    CHECK(wrapped(source(), [](const Pointer& reader) -> Pointer {
              const pv::Tensor<std::int64_t> computed = pv::tensor(reader) + 0;
              return pv::as_reader(computed);
          }) == pv::kMaxReaderDepth);
    // What needs no reader of its own is no deeper.
    CHECK(wrapped(source(), [](const Pointer& reader) -> Pointer {
              return pv::as_reader(pv::tensor(reader));
          }) == kMany);
}

TEST_CASE("The depth of readers is told") {
    CHECK(source()->depth() == 0);
    const auto cast = pv::elemwise_cast<double>(source());
    CHECK(cast->depth() == 1);
    const pv::Tensor<double> twice = pv::tensor(cast) * 2;
    CHECK(pv::as_reader(twice)->depth() == 2);
    CHECK(pv::reverse(cast)->depth() == 2);
}

} // namespace reader_depth_test
