// Defines csv_text.hpp.
#include "csv_text.hpp"

#include <cstring>
#include <utility>

namespace purview::inline v0_1::csv {
namespace {

/// Copies the lines of a text without comments.
class CommentRemoval {
public:
    CommentRemoval(std::string_view text, Marks marks, char comment)
        : at_(text.data()), end_(at_ + text.size()), marks_(marks), comment_(comment) {
        kept_.reserve(text.size());
    }

    void run() {
        while (at_ < end_) copy_line();
    }
    std::string take_kept() { return std::move(kept_); }
    std::vector<std::size_t> take_lines_left_out() { return std::move(lines_left_out_); }

private:
    /// A line that begins here, outside of quotes, up to one that does so again.
    void copy_line() {
        const std::size_t begin = kept_.size();
        bool has_comment = false;
        while (at_ < end_ && !is_line_end(*at_)) {
            const bool opens = kept_.size() == begin || kept_.back() == marks_.delimiter;
            if (*at_ == marks_.quote && opens) {
                copy_quoted();
            } else if (*at_ == comment_) {
                has_comment = true;
                while (at_ < end_ && !is_line_end(*at_)) ++at_;
            } else {
                kept_ += *at_++;
            }
        }
        const int size = line_end_size(at_, end_);
        at_ += size;
        if (has_comment && is_blank(std::string_view(kept_).substr(begin))) {
            kept_.resize(begin);
            lines_left_out_.push_back(begin);
        } else if (size > 0) {
            kept_ +=
                '\n'; // whatever it was: where lines are left out, "\r" and "\n" could become one end
        }
    }
    void copy_quoted() {
        const char* behind = at_ + 1;
        for (;;) {
            behind = static_cast<const char*>(
                std::memchr(behind, marks_.quote, static_cast<std::size_t>(end_ - behind)));
            if (behind == nullptr || ++behind == end_ || *behind != marks_.quote) break;
            ++behind;
        }
        if (behind == nullptr) behind = end_; // which is said when it is read
        kept_.append(at_, behind);
        at_ = behind;
        skip_blanks_before_comment();
    }
    /// Blanks between quotes and a comment set them apart: behind a field in quotes they would be text.
    void skip_blanks_before_comment() {
        const char* behind = at_;
        while (behind < end_ && is_blank(*behind)) ++behind;
        if (behind < end_ && *behind == comment_) at_ = behind;
    }
    bool is_blank(char c) const { return (c == ' ' || c == '\t') && c != marks_.delimiter; }
    bool is_blank(std::string_view line) const {
        for (const char c : line)
            if (!is_blank(c)) return false;
        return true;
    }

    const char* at_;
    const char* end_;
    Marks marks_;
    char comment_;
    std::string kept_;
    std::vector<std::size_t> lines_left_out_;
};

} // namespace

void CsvText::remove_comments(Marks marks, char comment) {
    if (text_.find(comment) == std::string_view::npos) return;
    CommentRemoval removal(text_, marks, comment);
    removal.run();
    without_comments_ = removal.take_kept();
    lines_left_out_ = removal.take_lines_left_out();
    text_ = without_comments_;
}

} // namespace purview::csv
