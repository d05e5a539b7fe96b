#!/usr/bin/env bash
# Makes a release of what is committed:
#     scripts/release.sh 0.2.0 [--url URL --homepage URL]
# Sets the version (CMakeLists.txt, CITATION.cff, the inline namespace), dates the changelog, commits, tags v0.2.0, and puts a tarball and its
# checksum into build/release-0.2.0; with the address where the tarball will be, the pull requests to Conan Center and vcpkg as well. Pushes
# nothing: the last lines say what is left to do.
set -euo pipefail
fail() { echo "release: $*" >&2; exit 1; }
case "${1:-}" in
    -h | --help) sed -n '2,6s/^# \?//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/.."

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "usage: scripts/release.sh MAJOR.MINOR.PATCH [--url URL --homepage URL]"
url= homepage=
if [ $# -gt 1 ]; then
    [ $# -eq 5 ] && [ "$2" = --url ] && [ "$4" = --homepage ] || fail "after the version come --url URL --homepage URL"
    url=$3 homepage=$5
fi
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "the tag v$version exists"

old=$(sed -nE 's/^    VERSION ([0-9.]+)$/\1/p' CMakeLists.txt)
[ -n "$old" ] || fail "CMakeLists.txt has no VERSION"
[ "$(printf '%s\n' "$old" "$version" | sort -V | tail -n 1)" = "$version" ] || fail "$version is older than $old"
awk '/^## \[Unreleased\]/ { inside = 1; next } /^## / { inside = 0 } inside && /^- / { found = 1 } END { exit !found }' CHANGELOG.md \
    || fail "the changelog has nothing under [Unreleased]"

namespace_of() { local IFS=.; set -- $1; echo "v${1}_$2"; }
trap 'echo "release: failed; git reset --hard undoes what was changed" >&2' ERR
today=$(date -u +%F)
sed -i -E "s/^    VERSION $old\$/    VERSION $version/" CMakeLists.txt
sed -i -E "s/^version: .*/version: $version/; /^date-released: /d" CITATION.cff
echo "date-released: $today" >>CITATION.cff
sed -i "s/^## \[Unreleased\]\$/## [Unreleased]\n\n## [$version] - $today/" CHANGELOG.md
if [ "$(namespace_of "$old")" != "$(namespace_of "$version")" ]; then
    git grep -lE "\b$(namespace_of "$old")\b" -- . ':!CHANGELOG.md' \
        | xargs sed -i -E "s/\b$(namespace_of "$old")\b/$(namespace_of "$version")/g"
fi
# What documents and consumers say.
git grep -lE "purview/$old\b|find_package\(purview ${old%.*}\b|\`$old\`|libpurview\.so\.${old%.*}\b|^Version ${old%.*}\b" -- . ':!CHANGELOG.md' ':!scripts/release.sh' \
    | xargs -r sed -i -E "s,purview/$old\b,purview/$version,; s/find_package\(purview ${old%.*}\b/find_package(purview ${version%.*}/; s/\`$old\`/\`$version\`/; \
        s/libpurview\.so\.${old%.*}\b/libpurview.so.${version%.*}/; s/^Version ${old%.*}\b/Version ${version%.*}/"
tools/check_layers.py
git commit -q -a -m "Purview $version"
git tag -a "v$version" -m "Purview $version"

folder=build/release-$version
mkdir -p "$folder"
tarball=$folder/purview-$version.tar.gz
git archive --format=tar.gz -9 --prefix="purview-$version/" -o "$tarball" "v$version"
(cd "$folder" && sha256sum "purview-$version.tar.gz" >"purview-$version.tar.gz.sha256")
awk -v heading="## [$version]" 'index($0, heading) == 1 { inside = 1; next } /^## / { inside = 0 } inside' CHANGELOG.md >"$folder/notes.md"
if [ -n "$url" ]; then
    packaging/make.py --tarball "$tarball" --url "$url" --homepage "$homepage" --out "$folder"
fi

cat <<EOF
release: $tarball
$(cat "$folder/purview-$version.tar.gz.sha256")
release: left to do: git push --follow-tags; publish the tarball with $folder/notes.md$([ -z "$url" ] || echo "; pull requests from $folder")
EOF
