// Defines codecs/codec_chain.hpp.
#include "codecs/codec_chain.hpp"
#include "codecs/filters.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::zarr {
namespace {

/// The elements behind the filter that says what objects are.
void put_texts_last(CodecChain& chain, bool& has_texts, const std::string& where) {
    if (chain.type.encoding != Encoding::lengths || has_texts || !chain.bytes.empty())
        throw FormatError(fmt::format("{}: filter 'vlen-utf8' is not for this dtype", where));
    has_texts = true;
}

} // namespace

CodecChain codecs_of_format_2(const Json::Value& array, StoredType type, ShapeSpan chunk,
                              const std::string& where) {
    CodecChain chain;
    chain.type = type;
    const Json::Value& order = array["order"];
    const std::string text = order.isNull() ? std::string("C") : text_of(order, "order", where);
    if (text != "C" && text != "F")
        throw FormatError(
            fmt::format("{}: order {} is neither 'C' nor 'F'", where, npy::quoted(text)));
    if (text == "F" && chunk.size() > 1)
        for (std::size_t k = chunk.size(); k-- > 0;) chain.order.push_back(static_cast<int>(k));

    bool has_texts = false;
    const Json::Value& filters = array["filters"];
    constexpr Json::ArrayIndex kMostFilters = 16;
    if (!filters.isNull() && (!filters.isArray() || filters.size() > kMostFilters))
        throw FormatError(fmt::format("{}: filters are no list of up to {}", where, kMostFilters));
    for (const Json::Value& filter : filters) {
        const std::string id = text_of(member(filter, "id", where), "the id of a filter", where);
        chain.names += fmt::format("{}, ", id);
        if (id == "vlen-utf8")
            put_texts_last(chain, has_texts, where);
        else
            chain.bytes.push_back(filter_of_format_2(filter, id, type, where));
    }
    if (type.encoding == Encoding::lengths && !has_texts)
        throw DtypeError(fmt::format("{}: dtype '|O' without the filter 'vlen-utf8' is an element "
                                     "type that Purview does not have",
                                     where));
    const Json::Value& how = array["compressor"];
    if (!how.isNull()) {
        const std::string id = text_of(member(how, "id", where), "the id of the compressor", where);
        chain.bytes.push_back(compressor(id, how, std::max<index_t>(1, type.bytes), where));
        chain.names += id;
    } else if (chain.names.empty()) {
        chain.names = "none";
    } else {
        chain.names.resize(chain.names.size() - 2);
    }
    return chain;
}

} // namespace purview::zarr
