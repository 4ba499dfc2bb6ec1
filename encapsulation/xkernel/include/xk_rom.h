/* Lines of configuration: those of the option `rom` of the instance, separated by semicolons. */
#ifndef XK_ROM_H
#define XK_ROM_H

#define ROM_MAX_LINES 64
#define ROM_MAX_FIELDS 8

/* The fields of each line; a null pointer ends a line, and a line without fields the table. */
extern char *rom[ROM_MAX_LINES + 1][ROM_MAX_FIELDS + 1];

typedef xkern_return_t (*XObjRomOptFunc)(XObj, char **fields, int count, int line, void *arg);
typedef struct {
    char *name; /* the second field; "": any */
    int minFields;
    XObjRomOptFunc func;
} XObjRomOpt;

typedef xkern_return_t (*RomOptFunc)(char **fields, int count, int line, void *arg);
typedef struct {
    char *name;
    int minFields;
    RomOptFunc func;
} RomOpt;

/* Calls the functions for the lines whose first field is the name of an object, or a name. XK_FAILURE: a line fits
 * none, or its function fails. */
xkern_return_t findXObjRomOpts(XObj, XObjRomOpt *, int count, void *arg);
xkern_return_t findRomOpts(char *name, RomOpt *, int count, void *arg);

/* Addresses from text. */
xkern_return_t str2ipHost(IPhost *, char *);
xkern_return_t str2ethHost(ETHhost *, char *);

#endif
