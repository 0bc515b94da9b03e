/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a copy of the head into lines, lists and words. */
#include "scrape_request.h"

#include <string.h>

#include "scrape_server.h"

static bool is_blank(char c)
{
    return c != '\0' && (unsigned char)c <= ' ';
}

static char *trimmed(char *text)
{
    for (char *end = text + strlen(text); end > text && is_blank(end[-1]); end--)
        end[-1] = '\0';
    while (is_blank(*text))
        text++;
    return text;
}

static char *unquoted(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (*from != '"')
            *to++ = *from;
    *to = '\0';
    return trimmed(text);
}

/* Not tolower, which depends on the locale that the program has chosen. */
static void to_lower_case(char *text)
{
    for (; *text != '\0'; text++)
        *text = (char)(*text >= 'A' && *text <= 'Z' ? *text + 'a' - 'A' : *text);
}

/* An address or localhost, with a port or without; or nothing. Digits alone are no name. */
static bool is_address(const char *host)
{
    static const char digits[] = "0123456789", of_localhost[] = "localhost";
    host += strspn(host, " \t");
    size_t size = strspn(host, "0123456789."), of_name = sizeof of_localhost - 1;
    if (strncmp(host, of_localhost, of_name) == 0)
        size = of_name + (host[of_name] == '.');
    size_t inside = *host == '[' ? strspn(host + 1, "0123456789abcdef:.") : 0;
    if (inside > 0 && host[inside + 1] == ']')
        size = inside + 2;
    host += size;
    if (size > 0 && *host == ':')
        host += 1 + strspn(host + 1, digits);
    return host[strspn(host, " \t")] == '\0';
}

/* Thousandths; 0 for what is not a quality, which is 0 to 1 with at most three decimals. */
static int quality_of(const char *text)
{
    size_t size = strlen(text);
    int quality = 0, weight = 1000;
    if (size == 0 || size > 5 || (size > 1 && text[1] != '.'))
        return 0;
    for (size_t i = 0; i < size; i += i == 0 ? 2 : 1, weight /= 10) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        quality += weight * (text[i] - '0');
    }
    return quality <= 1000 ? quality : 0;
}

/*
 * How much a list such as text/plain;version=0.0.4;q=0.5,text/html;q=0.1 wants each format, at most.
 * Wildcards do not count: those who name nothing get the plain format.
 */
static void parse_accept(char *list, int *plain, int *open_metrics)
{
    for (char *item; (item = strsep(&list, ",")) != NULL;) {
        const char *type = trimmed(strsep(&item, ";"));
        bool is_open = strcmp(type, "application/openmetrics-text") == 0;
        int quality = 1000, *most = is_open ? open_metrics : plain;
        if (!is_open && strcmp(type, "text/plain") != 0)
            continue;
        for (char *parameter; quality > 0 && (parameter = strsep(&item, ";")) != NULL;) {
            parameter = unquoted(parameter);
            if (strncmp(parameter, "q=", 2) == 0)
                quality = quality_of(parameter + 2);
            else if (is_open && strncmp(parameter, "version=", 8) == 0
                     && strcmp(parameter, "version=1.0.0") != 0)
                quality = 0; /* a version that is not written here */
        }
        *most = quality > *most ? quality : *most;
    }
}

/* The next line, without its end; null: none is left. */
static char *next_line(char **rest)
{
    char *line = strsep(rest, "\n");
    size_t size = line != NULL ? strlen(line) : 0;
    if (size > 0 && line[size - 1] == '\r')
        line[size - 1] = '\0';
    return line;
}

static bool parse_first_line(char *version, struct scrape_request *request)
{
    const char *method = strsep(&version, " ");
    char *path = strsep(&version, " ");
    if (*method == '\0' || version == NULL || *path != '/' || strncmp(version, "HTTP/1.", 7) != 0
        || strchr(version, ' ') != NULL)
        return false;
    request->method = strcmp(method, "GET") == 0    ? SCRAPE_GET
                      : strcmp(method, "HEAD") == 0 ? SCRAPE_HEAD
                                                    : SCRAPE_OTHER;
    request->is_for_metrics = strcmp(strsep(&path, "?"), "/metrics") == 0;
    return true;
}

bool scrape_request_parse(const char *head, size_t size, struct scrape_request *request)
{
    char text[SCRAPE_HEAD_BYTES + 1], *rest = text;
    int hosts = 0, plain = 0, open_metrics = 0;
    size = size < SCRAPE_HEAD_BYTES ? size : SCRAPE_HEAD_BYTES;
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(head[i] != '\0' ? head[i] : '?');
    text[size] = '\0';
    if (!parse_first_line(next_line(&rest), request))
        return false;
    request->is_by_address = true;
    for (char *value; (value = next_line(&rest)) != NULL && *value != '\0';) {
        to_lower_case(value);
        const char *name = strsep(&value, ":");
        if (value != NULL && strcmp(name, "host") == 0)
            request->is_by_address = ++hosts == 1 && is_address(value);
        else if (value != NULL && strcmp(name, "accept") == 0)
            parse_accept(value, &plain, &open_metrics);
    }
    request->wants_open_metrics = open_metrics > 0 && open_metrics >= plain;
    return true;
}
