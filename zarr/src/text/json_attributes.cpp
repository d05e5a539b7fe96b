#include "text/json_attributes.hpp"

#include <utility>

namespace purview::inline v0_1::zarr {
namespace {

Attributes::Number exactly(const Json::Value& number) {
    if (number.type() == Json::intValue) return std::int64_t{number.asInt64()};
    if (number.type() == Json::uintValue) return std::uint64_t{number.asUInt64()};
    return number.asDouble();
}

} // namespace

Attributes attributes_of(const Json::Value& object) {
    if (!object.isObject()) return {};
    Attributes::Values values;
    for (const std::string& name : object.getMemberNames()) {
        const Json::Value& value = object[name];
        Attributes::Value& known = values[name];
        if (value.isNumeric()) {
            known.number = value.asDouble();
            known.numbers = {value.asDouble()};
            known.exact = {exactly(value)};
        } else if (value.isString()) {
            known.text = value.asString();
        } else if (value.isArray()) {
            for (const Json::Value& element : value) {
                if (!element.isNumeric()) {
                    known.numbers.clear();
                    known.exact.clear();
                    break;
                }
                known.numbers.push_back(element.asDouble());
                known.exact.push_back(exactly(element));
            }
        }
    }
    return {std::move(values), json_text(object)};
}

} // namespace purview::zarr
