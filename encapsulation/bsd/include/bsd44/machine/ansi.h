/* gcc looks for it where __NetBSD__ is defined. */
