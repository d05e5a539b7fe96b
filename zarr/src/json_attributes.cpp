#include "json_attributes.hpp"

#include <utility>

namespace purview::inline v0_1::zarr {

Attributes attributes_of(const Json::Value& object) {
    if (!object.isObject()) return {};
    Attributes::Values values;
    for (const std::string& name : object.getMemberNames()) {
        const Json::Value& value = object[name];
        Attributes::Value& known = values[name];
        if (value.isNumeric()) {
            known.number = value.asDouble();
            known.numbers = {value.asDouble()};
        } else if (value.isString()) {
            known.text = value.asString();
        } else if (value.isArray()) {
            for (const Json::Value& element : value) {
                if (!element.isNumeric()) {
                    known.numbers.clear();
                    break;
                }
                known.numbers.push_back(element.asDouble());
            }
        }
    }
    return {std::move(values), json_text(object)};
}

} // namespace purview::zarr
