/* Lines of configuration, and addresses as text. */
#include "inside.h"

#include <stdlib.h>

char *rom[ROM_MAX_LINES + 1][ROM_MAX_FIELDS + 1];

void xk_rom_read(void) {
    const char *text = capsule_option("rom");
    if (!text)
        return;
    char *at = strcpy(xMalloc((unsigned)strlen(text) + 1), text);
    for (int line = 0, field = 0; *at && line < ROM_MAX_LINES;) {
        size_t length = strcspn(at, " ;");
        char end = at[length];
        if (length > 0 && field < ROM_MAX_FIELDS)
            rom[line][field++] = at;
        at[length] = 0;
        if (end == ';' && field > 0) {
            line++;
            field = 0;
        }
        at += length + (end != 0);
    }
}

static int count_fields(char **fields) {
    int count = 0;
    while (count < ROM_MAX_FIELDS && fields[count])
        count++;
    return count;
}

/* Whether an option is that of a line. */
static bool fits(const char *name, int least, char **fields, int count) {
    return (!*name || (count > 1 && strcmp(name, fields[1]) == 0)) && count >= least;
}

xkern_return_t findXObjRomOpts(XObj object, XObjRomOpt *options, int number, void *argument) {
    for (int line = 0; rom[line][0]; line++) {
        int count = count_fields(rom[line]), i = 0;
        if (strcmp(rom[line][0], object->name) != 0 && strcmp(rom[line][0], object->fullName) != 0)
            continue;
        while (i < number && !fits(options[i].name, options[i].minFields, rom[line], count))
            i++;
        if (i == number || options[i].func(object, rom[line], count, line + 1, argument) == XK_FAILURE)
            return XK_FAILURE;
    }
    return XK_SUCCESS;
}

xkern_return_t findRomOpts(char *name, RomOpt *options, int number, void *argument) {
    for (int line = 0; rom[line][0]; line++) {
        int count = count_fields(rom[line]), i = 0;
        if (strcmp(rom[line][0], name) != 0)
            continue;
        while (i < number && !fits(options[i].name, options[i].minFields, rom[line], count))
            i++;
        if (i == number || options[i].func(rom[line], count, line + 1, argument) == XK_FAILURE)
            return XK_FAILURE;
    }
    return XK_SUCCESS;
}

/* Numbers of one byte each, with a separator between. */
static xkern_return_t read_bytes(unsigned char *to, int count, const char *text, int base, char separator) {
    for (int i = 0; i < count; i++) {
        char *end;
        unsigned long number = strtoul(text, &end, base);
        if (end == text || number > 255 || *end != (i + 1 < count ? separator : 0))
            return XK_FAILURE;
        to[i] = (unsigned char)number;
        text = end + 1;
    }
    return XK_SUCCESS;
}

xkern_return_t str2ipHost(IPhost *host, char *text) {
    unsigned char bytes[4];
    if (read_bytes(bytes, 4, text, 10, '.') == XK_FAILURE)
        return XK_FAILURE;
    *host = (IPhost){bytes[0], bytes[1], bytes[2], bytes[3]};
    return XK_SUCCESS;
}

xkern_return_t str2ethHost(ETHhost *host, char *text) {
    unsigned char bytes[6];
    if (read_bytes(bytes, 6, text, 16, ':') == XK_FAILURE)
        return XK_FAILURE;
    memcpy(host, bytes, sizeof bytes);
    return XK_SUCCESS;
}
