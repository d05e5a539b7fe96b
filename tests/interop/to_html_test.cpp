#include <support/catch.hpp>

#include <purview/interop/to_html.hpp>
#include <purview/purview.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace to_html_test {

namespace {

namespace pv = purview;

/// Whether tags are closed in order, and nothing else has an angle bracket or a lone ampersand.
bool is_well_formed(std::string_view html) {
    std::vector<std::string> open;
    for (std::size_t at = 0; at < html.size(); ++at) {
        if (html[at] == '>') return false;
        if (html[at] == '&') {
            const std::size_t end = html.find(';', at);
            if (end == std::string_view::npos || end - at > 6) return false;
        }
        if (html[at] != '<') continue;
        const std::size_t end = html.find('>', at);
        if (end == std::string_view::npos) return false;
        const std::string_view tag = html.substr(at + 1, end - at - 1);
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) return false;
            open.pop_back();
        } else {
            open.emplace_back(tag.substr(0, tag.find(' ')));
        }
        at = end;
    }
    return open.empty();
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++count;
    return count;
}

std::string html_of(const pv::AnyTensor& tensor) {
    std::string html = pv::to_html(tensor);
    INFO(html);
    CHECK(is_well_formed(html));
    return html;
}

} // namespace

TEST_CASE("to_html: a scalar, a row, a matrix") {
    CHECK(html_of(pv::tensor(2.5)) ==
          "<table class=\"purview\"><caption>float64 []</caption>\n<tr><td>2.500</td></tr>\n"
          "</table>\n");
    CHECK(html_of(pv::tensor({7, -1})) ==
          "<table class=\"purview\"><caption>int32 [2]</caption>\n"
          "<tr><th>0</th><th>1</th></tr>\n<tr><td>7</td><td>-1</td></tr>\n</table>\n");
    CHECK(html_of(pv::tensor({{true, false}}) * 1) ==
          "<table class=\"purview\"><caption>int32 [1 2]</caption>\n"
          "<tr><th></th><th>0</th><th>1</th></tr>\n"
          "<tr><th>0</th><td>1</td><td>0</td></tr>\n</table>\n");
}

TEST_CASE("to_html: more axes are tables of tables") {
    const std::string html = html_of(pv::tensor(pv::arange(24) | pv::reshape({2, 2, 2, 3})));
    CHECK(count_of(html, "<table") == 1 + 2 + 4);
    CHECK(count_of(html, "<caption>") == 1);
    CHECK(count_of(html, "<td>23</td>") == 1);
    CHECK(count_of(html, "…") == 0);
}

TEST_CASE("to_html: the middle of large tensors is left out") {
    const std::string html = html_of(pv::tensor(pv::arange(2000) | pv::reshape({40, 50})));
    CHECK(count_of(html, "<tr>") == 1 + 6 + 1);
    CHECK(count_of(html, "<td>…</td>") ==
          6 + 7); // a column of six rows, and a row of seven columns
    CHECK(count_of(html, "<th>…</th>") == 2);
    CHECK(count_of(html, "<td>1999</td>") == 1);
    CHECK(count_of(html, "<td>1003</td>") == 0);
    CHECK(count_of(html, "<th>49</th>") == 1);
    CHECK(count_of(html, "<th>37</th>") == 1);

    const std::string blocks = html_of(pv::tensor(pv::arange(1200) | pv::reshape({100, 3, 4})));
    CHECK(count_of(blocks, "<table") == 1 + 6);
    CHECK(count_of(blocks, "<td>1199</td>") == 1);
    CHECK(count_of(html_of(pv::arange(1001)), "<td>") == 7);
}

TEST_CASE("to_html: text is escaped, and empty tensors have no elements") {
    CHECK(html_of(pv::tensor({"<b>", "a & b"}))
              .find("<td>&quot;&lt;b&gt;&quot;</td><td>&quot;a &amp; b&quot;</td>") !=
          std::string::npos);
    CHECK(count_of(html_of(pv::zeros({0, 3})), "<td>") == 0);
    CHECK(count_of(html_of(pv::zeros({2, 0})), "<td>") == 0);
    CHECK(count_of(html_of(pv::zeros({0})), "<td>") == 0);
}

} // namespace to_html_test
