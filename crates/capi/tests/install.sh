# Installs, compiles with pkg-config, and uninstalls. Part of run.sh.
root=$work/root
prefix=/opt/fanorona
for variables in "" "LIBDIR=$prefix/lib64 INCLUDEDIR=$prefix/include/fanorona-0"; do
    rm -rf "$root"
    # shellcheck disable=SC2086
    "$MAKE" -s -C "$here" install CARGO="$CARGO" DESTDIR="$root" PREFIX="$prefix" $variables
    PKG_CONFIG_LIBDIR=$(dirname "$(find "$root" -name fanorona.pc)")
    PKG_CONFIG_SYSROOT_DIR=$root
    export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
    [ "$($PKG_CONFIG --modversion fanorona)" = "$VERSION" ] || fail "the version in fanorona.pc"
    # With the shared library.
    # shellcheck disable=SC2046,SC2086
    $TEST_CC -std=c99 $warnings "$here/tests/header.c" -o "$work/installed" $($PKG_CONFIG --cflags --libs fanorona)
    libdir=$root$($PKG_CONFIG --variable=libdir fanorona | sed "s|^$root||")
    [ "$(LD_LIBRARY_PATH="$libdir" DYLD_LIBRARY_PATH="$libdir" "$work/installed")" = "$VERSION" ] || fail "the installed shared library"
    if [ "$(uname -s)" = Linux ]; then
        readelf -d "$work/installed" | grep -q "NEEDED.*\[$SONAME\]" || fail "the program does not need $SONAME"
        # With the static library: without the shared one, the linker takes it.
        rm -f "$libdir"/libfanorona.so*
        # shellcheck disable=SC2046,SC2086
        $TEST_CC -std=c99 $warnings "$here/tests/header.c" -o "$work/installed-static" $($PKG_CONFIG --static --cflags --libs fanorona)
        [ "$("$work/installed-static")" = "$VERSION" ] || fail "the installed static library"
        readelf -d "$work/installed-static" | grep -q "fanorona" && fail "the static program needs the shared library"
        # A program that is static altogether.
        # shellcheck disable=SC2046,SC2086
        $TEST_CC -static -std=c99 -D_POSIX_C_SOURCE=200809L $warnings "$here/tests/tables.c" -o "$work/whole-static" $($PKG_CONFIG --static --cflags --libs fanorona)
        readelf -d "$work/whole-static" | grep -q NEEDED && fail "the static program needs shared libraries"
        "$work/whole-static" "$data"
    fi
    # shellcheck disable=SC2086
    "$MAKE" -s -C "$here" uninstall CARGO="$CARGO" DESTDIR="$root" PREFIX="$prefix" $variables
    [ -z "$(find "$root" -type f -o -type l)" ] || fail "make uninstall leaves $(find "$root" -type f -o -type l)"
done
unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
echo "installed, compiled, uninstalled"
