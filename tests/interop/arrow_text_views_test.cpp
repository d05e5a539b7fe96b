#include <support/catch.hpp>

#include <interop/arrow_producer.hpp>

#include <purview/base/errors.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/interop/arrow_stream.hpp>
#include <purview/purview.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace arrow_text_views_test {

// Texts as views: the formats vu and vz, which Polars and pyarrow's string_view() and binary_view() hand out
// (arrow.apache.org/docs/format/Columnar.html, "Variable-size Binary View Layout").

namespace {

namespace pv = purview;
using arrow_producer::batch_of;
using arrow_producer::bits_of;
using arrow_producer::bytes_of;
using arrow_producer::Counts;
using arrow_producer::imported;
using arrow_producer::imported_column;
using arrow_producer::Node;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

/// Views of texts, each of which that is longer than 12 bytes lies in one of two buffers.
Node views_of(const Texts& texts, const char* format = "vu") {
    std::vector<std::int32_t> views;
    std::vector<char> buffers[2];
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string& text = texts[i];
        std::int32_t words[4] = {static_cast<std::int32_t>(text.size()), 0, 0, 0};
        if (text.size() <= 12) {
            std::memcpy(words + 1, text.data(), text.size());
        } else {
            std::vector<char>& buffer = buffers[i % 2];
            std::memcpy(words + 1, text.data(), 4);
            words[2] = static_cast<std::int32_t>(i % 2);
            words[3] = static_cast<std::int32_t>(buffer.size());
            buffer.insert(buffer.end(), text.begin(), text.end());
        }
        views.insert(views.end(), words, words + 4);
    }
    const std::vector<std::int64_t> lengths{std::ssize(buffers[0]), std::ssize(buffers[1])};
    return {
        .format = format,
        .name = "n",
        .length = std::ssize(texts),
        .buffers = {
            {}, bytes_of(views), bytes_of(buffers[0]), bytes_of(buffers[1]), bytes_of(lengths)}};
}

const Texts kTexts{"",
                   "twelve bytes",
                   "thirteen byte",
                   "a\0b",
                   "ä",
                   "much longer than a view holds",
                   "another one that is longer"};

Texts read(const pv::Column& column) { return pv::to_vector(column.values.as<std::string>()); }

/// A view that tells of what is not there.
void refused(std::size_t word, std::int32_t value, const char* words) {
    Node node = views_of(kTexts);
    std::memcpy(node.buffers[1]->data() + (4 * 5 + word) * sizeof value, &value, sizeof value);
    Counts counts;
    CHECK_THROWS_AS(imported(batch_of({node}), counts), pv::FormatError);
    CHECK_THROWS_WITH(imported(batch_of({node}), counts),
                      ContainsSubstring(words) && ContainsSubstring("'n', row 5"));
    CHECK((counts.arrays == 0 && counts.schemas == 0));
    node.buffers[0] = bits_of({true, true, true, true, true, false, true});
    Texts without = kTexts;
    without[5] = "";
    CHECK(read(imported_column(node, counts)) == without);
}

} // namespace

TEST_CASE("Arrow's views of texts are read (Polars, pyarrow's string_view and binary_view)") {
    Counts counts;
    for (const char* format : {"vu", "vz"}) {
        const pv::Column column = imported_column(views_of(kTexts, format), counts);
        CHECK(column.dtype() == pv::kDType<std::string>);
        CHECK(read(column) == kTexts);
        CHECK(pv::equals(pv::clone(column.values), column.values));
    }
    Node slice = views_of(kTexts);
    slice.offset = 2;
    slice.length = 4;
    slice.buffers[0] = bits_of({true, true, true, false, true, true});
    {
        const pv::Column some = imported_column(slice, counts);
        CHECK(read(some) == Texts{kTexts[2], "", kTexts[4], kTexts[5]});
        CHECK(pv::to_vector(some.missing) == std::vector<bool>{false, true, false, false});
    }

    // Without a long text there is no buffer but that of their lengths, which may be null.
    Node shorter = views_of({"a", "bc"});
    shorter.buffers.erase(shorter.buffers.begin() + 2, shorter.buffers.end());
    shorter.buffers.emplace_back();
    CHECK(read(imported_column(shorter, counts)) == Texts{"a", "bc"});
    Node none = views_of({});
    for (auto& buffer : none.buffers) buffer.reset();
    none.buffers.resize(3);
    CHECK(read(imported_column(none, counts)).empty());

    const Node list{.format = "+w:2",
                    .name = "n",
                    .length = 3,
                    .buffers = {{}},
                    .children = {views_of(kTexts)}};
    CHECK(read(imported_column(list, counts)) == Texts(kTexts.begin(), kTexts.begin() + 6));
    const Node dictionary{.format = "c",
                          .name = "n",
                          .length = 2,
                          .buffers = {{}, bytes_of(std::vector<std::int8_t>{6, 2})},
                          .dictionary = {views_of(kTexts)}};
    CHECK(read(imported_column(dictionary, counts)) == Texts{kTexts[6], kTexts[2]});
    CHECK((counts.arrays == 0 && counts.schemas == 0));
}

TEST_CASE("Views of texts that are not there are refused, and released") {
    refused(0, -1, "-1 bytes");
    refused(0, 30, "30 bytes");
    refused(2, 2, "buffer 2, of 2");
    refused(2, -1, "buffer -1");
    refused(3, 1, "offset 1");
    refused(3, -1, "offset -1");
    refused(3, 2'147'483'647, "offset 2147483647");
    const auto bad = [](auto spoil, const char* words) {
        Node node = views_of(kTexts);
        spoil(node);
        Counts counts;
        CHECK_THROWS_AS(imported_column(node, counts), pv::FormatError);
        CHECK_THROWS_WITH(imported_column(node, counts), ContainsSubstring(words));
        CHECK((counts.arrays == 0 && counts.schemas == 0));
    };
    bad([](Node& n) { n.buffers.resize(2); }, "2 buffers, where the format 'vu' has 3 or more");
    bad([](Node& n) { n.buffers[1].reset(); }, "buffer 1 is null");
    bad([](Node& n) { n.buffers[3].reset(); }, "row 5");
    bad([](Node& n) { n.buffers[4].reset(); }, "null pointer to their lengths");
}

TEST_CASE("A stream of views of texts knows its columns before there is a batch") {
    Counts counts;
    pv::Columns table = imported(batch_of({views_of(kTexts)}), counts);
    pv::arrow::StreamExport out = pv::to_arrow_stream(std::vector{std::move(table)});
    const pv::Columns all = pv::from_arrow_stream(&out.stream).read_all();
    CHECK(read(all["n"]) == kTexts);
}

} // namespace arrow_text_views_test
